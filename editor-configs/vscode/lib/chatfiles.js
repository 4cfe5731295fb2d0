"use strict";
// Where chats are: files in memory, so that a chat is an ordinary document that closes without a question. Nothing of
// it is on the disk; “Save As” keeps it.
const vscode = require("vscode");

const SCHEME = "inkling-chat";
const YOU = "# You";
const INKLING = "# Inkling";

/** What a chat that is not known, for instance after the window was loaded anew, begins with. */
const EMPTY = `${YOU}\n\n`;

class ChatFiles {
  constructor() {
    this.files = new Map();
    this.emitter = new vscode.EventEmitter();
    this.onDidChangeFile = this.emitter.event;
    this.registration = vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true });
  }

  /** A file that is not there yet. @param {string} title @param {string} content */
  create(title, content) {
    const name = title.replace(/[/\\?#%:]+/g, " ").trim() || "Chat";
    let uri;
    let number = 1;
    do {
      uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}${number > 1 ? ` ${number}` : ""}.md` });
      number += 1;
    } while (this.files.has(uri.path));
    this.writeFile(uri, Buffer.from(content, "utf8"));
    return uri;
  }

  watch() {
    return new vscode.Disposable(() => {});
  }

  stat(uri) {
    const isFile = uri.path.endsWith(".md");
    if (!isFile && uri.path !== "/") throw vscode.FileSystemError.FileNotFound(uri);
    const file = this.files.get(uri.path) || { bytes: Buffer.from(EMPTY, "utf8"), changedAt: 0 };
    return {
      type: isFile ? vscode.FileType.File : vscode.FileType.Directory, ctime: 0, mtime: file.changedAt,
      size: file.bytes.length,
    };
  }

  readFile(uri) {
    this.stat(uri);
    return this.files.has(uri.path) ? this.files.get(uri.path).bytes : Buffer.from(EMPTY, "utf8");
  }

  writeFile(uri, bytes) {
    this.files.set(uri.path, { bytes, changedAt: Date.now() });
  }

  readDirectory() {
    return [...this.files.keys()].map((path) => [path.slice(1), vscode.FileType.File]);
  }

  createDirectory(uri) {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri) {
    this.files.delete(uri.path);
  }

  rename(uri) {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose() {
    this.registration.dispose();
    this.emitter.dispose();
  }
}

module.exports = { ChatFiles, EMPTY, INKLING, SCHEME, YOU };
