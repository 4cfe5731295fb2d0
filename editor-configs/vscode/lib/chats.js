"use strict";
// All chats of the window, and the sessions that are kept.
const vscode = require("vscode");
const { Chat, turnsOf } = require("./chat");
const { ChatFiles, EMPTY, SCHEME } = require("./chatfiles");

class Chats {
  /** @param {{client: import("./client").Client, regions: import("./text").Regions,
   *   failures: import("./request").Failures}} parts */
  constructor(parts) {
    this.parts = { ...parts, changed: (usage) => this.emitter.fire(usage) };
    this.client = parts.client;
    this.files = new ChatFiles();
    this.emitter = new vscode.EventEmitter();
    /** Fired when a chat begins or ends to write; with the usage when it has answered. */
    this.onDidChange = this.emitter.event;
    this.open = new Map();
    this.closing = vscode.workspace.onDidCloseTextDocument((document) => {
      if (this.open.has(document)) this.open.get(document).close();
      this.open.delete(document);
      if (document.uri.scheme === SCHEME) this.files.delete(document.uri);
    });
  }

  get running() {
    return [...this.open.values()].filter((chat) => chat.request !== null);
  }

  /** The chat of a document; one that was there before the window was loaded anew begins afresh. */
  of(document) {
    if (!document || document.uri.scheme !== SCHEME) return undefined;
    if (!this.open.has(document)) this.open.set(document, new Chat(document, this.parts));
    return this.open.get(document);
  }

  async start() {
    await this.show(this.files.create("Chat", EMPTY));
  }

  /** Goes on with a session. @param {string} sessionId */
  async resume(sessionId) {
    const there = [...this.open.values()].find((chat) => chat.sessionId === sessionId);
    if (there) {
      await this.show(there.document.uri);
      return;
    }
    const { session, transcript } = await this.client.ask("session/get", { sessionId });
    const turns = turnsOf(transcript).map((turn) => ({
      message: turn.message.replace(/\r\n?/g, "\n"), answer: turn.answer.replace(/\r\n?/g, "\n"),
    }));
    const uri = this.files.create(session.title || sessionId, Chat.content(turns));
    await this.show(uri, { sessionId, turns });
  }

  /** Chooses one of the sessions that are kept, and what to do with it. */
  async choose() {
    const { sessions } = await this.client.ask("session/list");
    const items = sessions.filter((session) => session.persisted).reverse().map((session) => ({
      label: session.title || session.sessionId, description: `${session.turns} turns`,
      detail: `last ${session.updatedAt.replace("T", " ").replace("Z", "")}`, sessionId: session.sessionId,
    }));
    if (items.length === 0) {
      vscode.window.showInformationMessage(
        "Inkling: no chat was kept. With the setting “inkling.chat.persist” they are.");
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, { title: "Inkling: chats that were kept" });
    if (!chosen) return;
    const { sessionId } = chosen;
    const action = await vscode.window.showQuickPick(["Go On", "Copy to a New Document", "Delete"], {
      title: chosen.label,
    });
    if (action === "Go On") await this.resume(sessionId);
    if (action === "Copy to a New Document") {
      const { text } = await this.client.ask("session/export", { sessionId, format: "markdown" });
      const document = await vscode.workspace.openTextDocument({ content: text, language: "markdown" });
      await vscode.window.showTextDocument(document);
    }
    if (action === "Delete") {
      await this.client.ask("session/delete", { sessionId });
      vscode.window.setStatusBarMessage("Inkling: the chat was deleted", 5000);
    }
  }

  async stopAll() {
    await Promise.all(this.running.map((chat) => chat.stop()));
  }

  setVoice(voice) {
    for (const chat of this.open.values()) chat.setVoice(voice);
  }

  dispose() {
    for (const chat of this.open.values()) chat.close();
    this.open.clear();
    this.closing.dispose();
    this.files.dispose();
    this.emitter.dispose();
  }

  /** @private */
  async show(uri, resumed) {
    const document = await vscode.workspace.openTextDocument(uri);
    if (resumed) this.open.set(document, new Chat(document, this.parts, resumed));
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const end = document.positionAt(document.getText().length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(new vscode.Range(end, end));
    this.of(document);
  }
}

module.exports = { Chats };
