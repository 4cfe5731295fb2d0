"use strict";
// Values of VS Code's API as far as the extension uses them: positions, addresses, events, and what is handed over.

class Position {
  constructor(line, character) {
    if (!(line >= 0) || !(character >= 0)) throw new Error(`no position: ${line}, ${character}`);
    Object.assign(this, { line, character });
  }

  compareTo(other) {
    return this.line - other.line || this.character - other.character;
  }

  isEqual(other) {
    return this.compareTo(other) === 0;
  }
}

class Range {
  constructor(start, end, ...more) {
    if (more.length === 2) return new Range(new Position(start, end), new Position(...more));
    const isForward = start.compareTo(end) <= 0;
    this.start = isForward ? start : end;
    this.end = isForward ? end : start;
  }

  get isEmpty() {
    return this.start.isEqual(this.end);
  }
}

class Selection extends Range {
  constructor(anchor, active, ...more) {
    if (more.length === 2) return new Selection(new Position(anchor, active), new Position(...more));
    super(anchor, active);
    Object.assign(this, { anchor, active });
  }
}

class Uri {
  constructor(scheme, path) {
    Object.assign(this, { scheme, path, query: "", fsPath: path });
  }

  static from({ scheme, path }) {
    if (!path.startsWith("/")) throw new Error(`no path: ${path}`);
    return new Uri(scheme, path);
  }

  static file(path) {
    return new Uri("file", path);
  }

  toString() {
    return `${this.scheme}:${this.path}`;
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose;
  }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener) => {
      this.listeners.add(listener);
      return new Disposable(() => this.listeners.delete(listener));
    };
  }

  fire(value) {
    for (const listener of [...this.listeners]) listener(value);
  }

  dispose() {
    this.listeners.clear();
  }
}

class MarkdownString {
  constructor() {
    this.value = "";
  }

  appendText(words) {
    this.value += words;
    return this;
  }
}

class CodeLens {
  constructor(range, command) {
    Object.assign(this, { range, command });
  }
}

class ThemeColor {
  constructor(id) {
    this.id = id;
  }
}

class WorkspaceEdit {
  constructor() {
    this.edits = [];
  }

  replace(uri, range, text) {
    this.edits.push({ uri, range, text });
  }
}

class TabInputText {
  constructor(uri) {
    this.uri = uri;
  }
}

class TabInputTextDiff {
  constructor(original, modified) {
    Object.assign(this, { original, modified });
  }
}

class FileSystemError extends Error {
  static FileNotFound(uri) {
    return new FileSystemError(`there is no ${uri}`);
  }

  static NoPermissions(uri) {
    return new FileSystemError(`not allowed: ${uri}`);
  }
}

module.exports = {
  Position, Range, Selection, Uri, Disposable, EventEmitter, MarkdownString, CodeLens, ThemeColor, WorkspaceEdit,
  TabInputText, TabInputTextDiff, FileSystemError,
  EndOfLine: { LF: 1, CRLF: 2 },
  ViewColumn: { Active: -1, Beside: -2, One: 1, Two: 2 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  DecorationRangeBehavior: { OpenOpen: 0, ClosedClosed: 1 },
  QuickPickItemKind: { Separator: -1, Default: 0 },
  ConfigurationTarget: { Global: 1, Workspace: 2 },
  FileType: { File: 1, Directory: 2 },
};
