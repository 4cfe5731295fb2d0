"use strict";
// Texts of documents: offsets, paragraphs, and regions that are followed while the document is edited. Offsets count
// UTF-16 code units from the document's start, as VS Code counts them.
const vscode = require("vscode");

/** @typedef {{start: number, end: number}} Span */

/** The offset in UTF-16 code units of a position that counts in the units of an encoding. */
function offsetOf(text, position, encoding) {
  if (encoding === "utf-16") return Math.min(position, text.length);
  let offset = 0;
  let units = 0;
  while (offset < text.length && units < position) {
    const scalar = text.codePointAt(offset);
    const width = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4;
    units += encoding === "utf-8" ? width : 1;
    offset += scalar > 0xffff ? 2 : 1;
  }
  return offset;
}

/** Cuts what is shown and appends, as a partial result says. */
function appended(shown, value, encoding) {
  if (typeof value.text === "string") return value.text;
  return shown.slice(0, offsetOf(shown, value.offset, encoding)) + value.delta;
}

function isBlank(text) {
  return !/\S/.test(text);
}

/** The lines around a line up to the next blank ones; null in a blank line. */
function paragraph(document, line) {
  const blank = (index) => document.lineAt(index).isEmptyOrWhitespace;
  if (blank(line)) return null;
  let [first, last] = [line, line];
  while (first > 0 && !blank(first - 1)) first -= 1;
  while (last + 1 < document.lineCount && !blank(last + 1)) last += 1;
  return new vscode.Range(document.lineAt(first).range.start, document.lineAt(last).range.end);
}

function rangeOf(document, span) {
  return new vscode.Range(document.positionAt(span.start), document.positionAt(span.end));
}

function spanOf(document, range) {
  return { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
}

function textOf(document, span) {
  return document.getText(rangeOf(document, span));
}

/**
 * What is selected: the selections that are not empty, in the document's order; the paragraphs at the cursors when all
 * are empty. A column selection is a selection for each line.
 * @returns {{spans: Span[], isSelected: boolean}}
 */
function selected(editor) {
  const document = editor.document;
  let ranges = editor.selections.filter((selection) => !selection.isEmpty);
  const isSelected = ranges.length > 0;
  if (!isSelected) {
    ranges = editor.selections.map((selection) => paragraph(document, selection.active.line)).filter(Boolean);
  }
  const spans = ranges.map((range) => spanOf(document, range)).sort((one, other) => one.start - other.start);
  // Two cursors in one paragraph mean it once.
  return { spans: spans.filter((span, index) => index === 0 || span.start >= spans[index - 1].end), isSelected };
}

/** Moves a span as a change of its document moves it. What is put at its edges is not in it. */
function moved(span, change) {
  const from = change.rangeOffset;
  const to = from + change.rangeLength;
  const grown = change.text.length - change.rangeLength;
  if (to <= span.start) return { start: span.start + grown, end: span.end + grown };
  if (from >= span.end) return span;
  const start = from < span.start ? from + change.text.length : span.start;
  const end = to > span.end ? from : span.end + grown;
  return { start, end: Math.max(start, end) };
}

/** Spans of documents that are followed through their changes. */
class Regions {
  constructor() {
    this.followed = new Map();
    this.disposable = vscode.workspace.onDidChangeTextDocument((event) => this.changed(event));
  }

  /** Follows a span; its `start` and `end` change with the document. @returns {Span} */
  follow(document, span) {
    const region = { ...span };
    this.followed.set(region, document);
    return region;
  }

  forget(region) {
    this.followed.delete(region);
  }

  /** @private */
  changed(event) {
    for (const [region, document] of this.followed) {
      if (document !== event.document) continue;
      for (const change of event.contentChanges) Object.assign(region, moved(region, change));
    }
  }

  dispose() {
    this.followed.clear();
    this.disposable.dispose();
  }
}

module.exports = { Regions, appended, isBlank, offsetOf, paragraph, rangeOf, selected, spanOf, textOf };
