"use strict";
// Has the daemon read a selection that rests, so that the first word comes sooner. Only when it runs already, and never
// of files whose names say that they hold secrets.
const vscode = require("vscode");
const power = require("./power");
const request = require("./request");
const settings = require("./settings");
const text = require("./text");

/** @param {string} glob `*` is any characters, `?` is one */
function pattern(glob) {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return new RegExp(`^${escaped}$`, "i");
}

/** Whether a file is one of those that are never read ahead: by its name, or by its path. */
function isDenied(path, deny) {
  const name = path.split(/[\\/]/).pop();
  return (deny || []).some((glob) => pattern(glob).test(name) || pattern(glob).test(path));
}

class Prewarm {
  /** @param {import("./client").Client} client @param {() => Promise<boolean>} [isOnBattery] */
  constructor(client, isOnBattery = power.isOnBattery) {
    this.client = client;
    this.isOnBattery = isOnBattery;
    this.timer = null;
    this.isSent = false;
    this.disposables = [
      vscode.window.onDidChangeTextEditorSelection((event) => this.selected(event.textEditor)),
      vscode.window.onDidChangeActiveTextEditor(() => this.cancel()),
      vscode.workspace.onDidChangeTextDocument((event) => event.contentChanges.length > 0 && this.cancel()),
    ];
  }

  /** A request is about to come: what was read is for it. */
  used() {
    this.rest();
    this.isSent = false;
  }

  cancel() {
    this.rest();
    if (this.isSent) this.client.notify("assistant/prewarm", {});
    this.isSent = false;
  }

  dispose() {
    this.rest();
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** @private */
  rest() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  /** @private */
  selected(editor) {
    this.cancel();
    const chosen = settings.prewarm();
    if (!chosen.enabled || !this.client.isRunning || editor !== vscode.window.activeTextEditor) return;
    if (!editor.selections.some((selection) => !selection.isEmpty)) return;
    const timer = setTimeout(async () => {
      if (!chosen.onBattery && await this.isOnBattery()) return;
      // The battery was asked meanwhile; the selection may have moved.
      if (this.timer === timer) this.send(editor, chosen);
    }, chosen.milliseconds);
    this.timer = timer;
  }

  /** @private */
  send(editor, chosen) {
    const { document } = editor;
    const { spans } = text.selected(editor);
    const span = spans[0];
    if (document.isClosed || !span || isDenied(document.uri.path, chosen.deny)) return;
    const size = span.end - span.start;
    if (size > chosen.characters || text.isBlank(text.textOf(document, span))) return;
    this.client.notify("assistant/prewarm", request.expected(document, span));
    this.isSent = true;
  }
}

module.exports = { Prewarm, isDenied };
