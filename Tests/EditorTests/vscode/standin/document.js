"use strict";
// A document and its editor: versions, UTF-16 positions, one kind of line end, changes as VS Code tells them, and a
// stack of undo steps with the cursors that were there before.
const { EndOfLine, EventEmitter, Position, Range, Selection } = require("./types");

class TextDocument {
  constructor(host, uri, languageId, content) {
    Object.assign(this, { host, uri, languageId, version: 1, isClosed: false, isDirty: false, isReadOnly: false });
    const crlf = (content.match(/\r\n/g) || []).length;
    const all = (content.match(/\r\n|\r|\n/g) || []).length;
    // As on loading a file: the line ends that most lines have become those of all.
    this.eol = all > 0 && crlf * 2 > all ? EndOfLine.CRLF : EndOfLine.LF;
    this.content = this.normalized(content);
    this.undoSteps = [];
    this.isStepOpen = false;
  }

  get eolText() {
    return this.eol === EndOfLine.CRLF ? "\r\n" : "\n";
  }

  normalized(text) {
    return text.replace(/\r\n|\r|\n/g, this.eolText);
  }

  get lines() {
    if (this.split !== this.content) {
      this.split = this.content;
      this.splitLines = this.content.split(this.eolText);
      this.starts = [0];
      for (const line of this.splitLines) {
        this.starts.push(this.starts[this.starts.length - 1] + line.length + this.eolText.length);
      }
    }
    return this.splitLines;
  }

  get lineCount() {
    return this.lines.length;
  }

  getText(range) {
    return range ? this.content.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.content;
  }

  lineAt(index) {
    const text = this.lines[index];
    if (text === undefined) throw new Error(`there is no line ${index}`);
    return {
      text, lineNumber: index, range: new Range(index, 0, index, text.length), isEmptyOrWhitespace: !/\S/.test(text),
    };
  }

  offsetAt(position) {
    const { lines } = this;
    const line = Math.min(position.line, lines.length - 1);
    const character = position.line > line ? lines[line].length : Math.min(position.character, lines[line].length);
    return this.starts[line] + character;
  }

  positionAt(offset) {
    const { lines } = this;
    const inside = Math.max(Math.min(offset, this.content.length), 0);
    let [line, last] = [0, lines.length - 1];
    while (line < last) {
      const middle = Math.ceil((line + last) / 2);
      if (this.starts[middle] <= inside) line = middle;
      else last = middle - 1;
    }
    // Within a CR LF there is no position.
    return new Position(line, Math.min(inside - this.starts[line], lines[line].length));
  }

  /** Applies edits, given as ranges before all of them, and tells about them from the last to the first. */
  apply(edits, { before = false, after = false } = {}) {
    const changes = edits.map(({ range, text }) => ({
      range, rangeOffset: this.offsetAt(range.start), rangeLength: this.getText(range).length,
      text: this.normalized(text),
    })).sort((one, other) => other.rangeOffset - one.rangeOffset || other.rangeLength - one.rangeLength);
    changes.forEach((change, index) => {
      const { rangeOffset: start, rangeLength } = change;
      const following = changes[index - 1];
      if (following && start + rangeLength > following.rangeOffset) throw new Error("edits that overlap");
      for (const edge of [start, start + rangeLength]) {
        if (/^[\udc00-\udfff]/.test(this.content.slice(edge)) && /[\ud800-\udbff]$/.test(this.content.slice(0, edge))) {
          throw new Error(`an edit within a character, at ${edge}`);
        }
      }
    });
    if (before) this.isStepOpen = false;
    if (!this.isStepOpen) {
      const editor = this.host.editorsOf(this)[0];
      this.undoSteps.push({ content: this.content, selections: editor ? [...editor.selections] : [] });
      this.isStepOpen = true;
    }
    if (after) this.isStepOpen = false;
    this.changed(changes);
  }

  undo() {
    const step = this.undoSteps.pop();
    if (!step) return;
    this.isStepOpen = false;
    this.set(step.content);
    const editor = this.host.editorsOf(this)[0];
    if (editor) editor.selections = step.selections;
  }

  /** Another content, told as the smallest single change. */
  set(content) {
    let start = 0;
    while (start < this.content.length && start < content.length && this.content[start] === content[start]) start += 1;
    let [end, newEnd] = [this.content.length, content.length];
    while (end > start && newEnd > start && this.content[end - 1] === content[newEnd - 1]) {
      [end, newEnd] = [end - 1, newEnd - 1];
    }
    this.changed([{
      range: new Range(this.positionAt(start), this.positionAt(end)), rangeOffset: start, rangeLength: end - start,
      text: content.slice(start, newEnd),
    }]);
  }

  changed(contentChanges) {
    const cursors = this.host.editorsOf(this).map((editor) => [editor, editor.selections.map((selection) => (
      [selection.anchor, selection.active].map((position) => this.offsetAt(position))))]);
    for (const { rangeOffset, rangeLength, text } of contentChanges) {
      this.content = this.content.slice(0, rangeOffset) + text + this.content.slice(rangeOffset + rangeLength);
      for (const [, selections] of cursors) {
        for (const selection of selections) {
          selection.forEach((offset, index) => {
            const end = rangeOffset + rangeLength;
            if (offset >= end) selection[index] += text.length - rangeLength;
            else if (offset > rangeOffset) selection[index] = Math.min(offset, rangeOffset + text.length);
          });
        }
      }
    }
    this.version += 1;
    this.isDirty = this.uri.scheme !== "inkling-preview";
    this.host.events.changeDocument.fire({ document: this, contentChanges });
    for (const [editor, selections] of cursors) {
      editor.selections = selections.map(([anchor, active]) => (
        new Selection(this.positionAt(anchor), this.positionAt(active))));
    }
  }

  async save() {
    const provider = this.host.fileSystems.get(this.uri.scheme);
    if (provider) provider.writeFile(this.uri, Buffer.from(this.content, "utf8"), { create: true, overwrite: true });
    this.isDirty = false;
    return true;
  }
}

class TextEditor {
  constructor(host, document, viewColumn) {
    Object.assign(this, { host, document, viewColumn });
    this.decorations = new Map();
    this.chosen = [new Selection(0, 0, 0, 0)];
    this.revealed = [];
  }

  get selections() {
    return this.chosen;
  }

  set selections(selections) {
    if (selections.length === 0) throw new Error("no selection at all");
    const key = (list) => JSON.stringify(list.map(({ anchor, active }) => [anchor, active]));
    const isOther = key(selections) !== key(this.chosen);
    this.chosen = selections;
    if (isOther) this.host.events.changeSelection.fire({ textEditor: this, selections });
  }

  get selection() {
    return this.chosen[0];
  }

  set selection(selection) {
    this.selections = [selection];
  }

  /** Done later, and not at all when the document was changed in between: then the answer is false. */
  edit(callback, options = {}) {
    const edits = [];
    callback({ replace: (range, text) => edits.push({ range, text }) });
    const { version } = this.document;
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        const { document } = this;
        if (document.version !== version || document.isReadOnly || document.isClosed) return resolve(false);
        try {
          document.apply(edits, { before: options.undoStopBefore !== false, after: options.undoStopAfter !== false });
        } catch (error) {
          return reject(error);
        }
        return resolve(true);
      });
    });
  }

  setDecorations(type, options) {
    if (type.isDisposed) throw new Error("this decoration was disposed of");
    this.decorations.set(type, options);
  }

  revealRange(range) {
    this.revealed.push(range);
  }
}

module.exports = { EventEmitter, TextDocument, TextEditor };
