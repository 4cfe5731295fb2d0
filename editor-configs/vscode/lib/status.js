"use strict";
// What is at work, in a few words in the status bar.
const vscode = require("vscode");
const preview = require("./preview");

class Status {
  /** @param {import("./tasks").Tasks} tasks @param {import("./chat").Chats} chats */
  constructor(tasks, chats) {
    this.tasks = tasks;
    this.chats = chats;
    this.availability = null;
    this.rate = null;
    this.item = vscode.window.createStatusBarItem("inkling.status", vscode.StatusBarAlignment.Right, 50);
    this.item.name = "Inkling";
    this.disposables = [
      this.item, tasks.onDidChange((task) => {
        if (task.state === "done" && task.usage) this.finished(task.usage);
        this.update();
      }),
      chats.onDidChange((usage) => {
        if (usage) this.finished(usage);
        this.update();
      }),
    ];
  }

  /** The model can be used, or not any more. */
  changed(availability) {
    this.availability = availability;
    this.update();
  }

  update() {
    const running = [...this.tasks.all.filter((task) => task.state !== "done"), ...this.chats.running];
    const { state, reason, message, remedy, progress } = this.availability || {};
    const isMissing = state === "unavailable" && reason !== "unloaded";
    this.item.backgroundColor = undefined;
    if (running.length > 0) {
      const more = running.length > 1 ? ` (${running.length})` : "";
      this.item.text = `$(loading~spin) Inkling: ${preview.doing(running[running.length - 1])}${more}`;
      this.item.tooltip = "Stop what Inkling does here";
      this.item.command = "inkling.stop";
    } else if (isMissing) {
      this.item.text = "$(warning) Inkling";
      this.item.tooltip = [message, remedy].filter(Boolean).join(" ");
      this.item.command = "inkling.doctor";
      this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    } else if (state === "loading") {
      this.item.text = `$(loading~spin) Inkling: loading ${Math.round((progress || 0) * 100)} %`;
      this.item.tooltip = "The model is being loaded";
      this.item.command = "inkling.status";
    } else if (this.rate !== null) {
      this.item.text = `Inkling: ${this.rate} tokens/s`;
      this.item.tooltip = "How fast the last answer was written";
      this.item.command = "inkling.status";
    } else {
      this.item.hide();
      return;
    }
    this.item.show();
  }

  dispose() {
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** @private */
  finished(usage) {
    const seconds = (usage.durationMs - usage.timeToFirstTokenMs) / 1000;
    if (usage.completionTokens > 1 && seconds > 0) this.rate = Math.round(usage.completionTokens / seconds);
  }
}

module.exports = { Status };
