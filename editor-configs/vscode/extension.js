"use strict";
// Inkling in VS Code: what is made when the extension is used for the first time, and ended with the window.
const vscode = require("vscode");
const { Chats } = require("./lib/chats");
const { SCHEME: CHAT } = require("./lib/chatfiles");
const { Client } = require("./lib/client");
const commands = require("./lib/commands");
const { Prewarm } = require("./lib/prewarm");
const { Preview } = require("./lib/preview");
const { Failures } = require("./lib/request");
const settings = require("./lib/settings");
const { Status } = require("./lib/status");
const { Tasks } = require("./lib/tasks");

/** @type {Client | null} */
let client = null;

/** @param {import("vscode").ExtensionContext} context */
function activate(context) {
  const version = context.extension.packageJSON.version;
  let status;
  client = new Client({
    command: settings.command,
    info: { name: "VS Code", version: vscode.version },
    onAvailability: (availability) => status.changed(availability),
    onLost: () => status.changed(null),
  });
  const failures = new Failures();
  const tasks = new Tasks({ client, failures });
  const chats = new Chats({ client, regions: tasks.regions, failures });
  const preview = new Preview(tasks);
  status = new Status(tasks, chats);
  const prewarm = new Prewarm(client);
  const channel = vscode.window.createOutputChannel("Inkling");
  const { atHand, handlers } = commands.all({ client, tasks, failures, preview, chats, prewarm, channel, version });
  tasks.onDone = (batch) => vscode.commands.executeCommand("inkling.accept", { task: batch.tasks[0].id })
    .then(() => showInstead(batch));

  /** What could not be put in its place at once is shown. */
  function showInstead(batch) {
    if (batch.closed) return;
    batch.spec.now = false;
    for (const task of batch.tasks) tasks.emitter.fire(task);
  }

  const known = new Map();
  function updateContext() {
    const editor = vscode.window.activeTextEditor;
    const chat = editor && editor.document.uri.scheme === CHAT ? chats.of(editor.document) : undefined;
    const values = {
      "inkling.here": atHand(undefined, true) !== undefined,
      "inkling.answers": tasks.batches.length > 0,
      "inkling.busy": tasks.all.some((task) => task.state !== "done") || chats.running.length > 0,
      "inkling.chatBusy": chat !== undefined && chat.request !== null,
    };
    for (const [name, value] of Object.entries(values)) {
      if (known.get(name) !== value) vscode.commands.executeCommand("setContext", name, value);
      known.set(name, value);
    }
  }

  /** A failure of the daemon or of a program is told in words; anything else is a fault to be seen. */
  const guarded = (handler) => async (...given) => {
    try {
      return await handler(...given);
    } catch (failure) {
      await failures.show(failure);
      return undefined;
    }
  };

  context.subscriptions.push(
    prewarm, preview, status, chats, tasks, channel,
    ...Object.entries(handlers).map(([name, handler]) => vscode.commands.registerCommand(name, guarded(handler))),
    tasks.onDidChange(updateContext),
    chats.onDidChange(updateContext),
    vscode.window.onDidChangeTextEditorSelection(updateContext),
    vscode.window.onDidChangeActiveTextEditor(updateContext),
    vscode.workspace.onDidChangeTextDocument((event) => tasks.of(event.document).length > 0 && updateContext()),
  );
  updateContext();
}

/** Requests are cancelled with what is disposed of; the process ends here, and nothing is left. */
async function deactivate() {
  const ending = client;
  client = null;
  if (ending) await ending.stop();
}

module.exports = { activate, deactivate };
