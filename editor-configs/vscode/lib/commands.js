"use strict";
// The commands, as package.json declares them.
const vscode = require("vscode");
const accept = require("./accept");
const doctor = require("./doctor");
const menus = require("./menus");
const models = require("./models");
const settings = require("./settings");
const text = require("./text");

/** @typedef {import("./tasks").Task} Task @typedef {import("./request").Spec} Spec */

/** @param {{client: import("./client").Client, tasks: import("./tasks").Tasks, failures: import("./request").Failures,
 *   preview: import("./preview").Preview, chats: import("./chats").Chats, prewarm: import("./prewarm").Prewarm,
 *   channel: import("vscode").OutputChannel, version: string}} parts */
function all(parts) {
  const { client, tasks, preview, chats } = parts;

  /** The editor that is worked in, if there is text of a person in it. */
  function here() {
    const editor = vscode.window.activeTextEditor;
    if (!editor || preview.batchOf(editor.document.uri)) {
      vscode.window.showInformationMessage("Inkling: open a text first.");
      return undefined;
    }
    return editor;
  }

  /** Begins what was chosen with what is selected. @param {import("vscode").TextEditor} editor @param {Spec} given */
  async function begin(editor, given) {
    const { document } = editor;
    const isOff = settings.read(document.uri).preview === "off";
    const spec = { ...given, now: given.now === undefined ? isOff : given.now };
    // What a command of the configuration takes is known when the daemon has said so.
    if (spec.feature === "command") await client.ready();
    const feature = client.feature(spec.id || spec.feature);
    const { spans, isSelected } = text.selected(editor);
    const input = spec.feature === "brainstorm" ? "topic" : feature ? feature.input : "selection";
    if (spec.topic === undefined && (input === "selection" || (input === "topic" && isSelected))) {
      parts.prewarm.used();
      return tasks.begin(document, spans, spec, true);
    }
    const cursor = document.offsetAt(editor.selection.active);
    const region = tasks.regions.follow(document, { start: cursor, end: cursor });
    if (spec.topic === undefined && input === "topic") spec.topic = await menus.topic(client, spec);
    tasks.regions.forget(region);
    if ((input === "topic" && spec.topic === undefined) || document.isClosed) return undefined;
    return tasks.begin(document, [{ start: region.start, end: region.end }], spec, false);
  }

  function starts(spec) {
    return async (given) => {
      const editor = here();
      if (editor) await begin(editor, { ...spec, ...given });
    };
  }

  /** With `given` words of a key binding nothing is asked. */
  function chooses(feature, key, title, items) {
    return async (given) => {
      const editor = here();
      if (!editor) return;
      if (given && given[key]) {
        await begin(editor, { feature, ...given });
        return;
      }
      await client.ready();
      const list = items(client);
      if (list.length === 0) {
        vscode.window.showInformationMessage(
          "Inkling: the configuration has no commands. “inkling config --help” says how.");
        return;
      }
      const spec = await menus.pick(title, list);
      if (spec) await begin(editor, { ...given, ...spec });
    };
  }

  async function menu(given) {
    const editor = here();
    if (!editor) return;
    await client.ready();
    const spec = await menus.everything(client);
    if (spec) await begin(editor, { ...given, ...spec });
  }

  /** The task at hand: of an action above a text, of the cursor's lines, or of a preview; else the latest there is. */
  function atHand(given, isStrict = false) {
    if (given && given.task) return tasks.all.find((task) => task.id === given.task);
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const shown = preview.batchOf(editor.document.uri);
    if (shown) return shown.tasks[0];
    const there = tasks.at(editor.document, editor.selection.active);
    if (there || isStrict) return there;
    const batches = tasks.of(editor.document);
    return batches[batches.length - 1] && batches[batches.length - 1].tasks[0];
  }

  function withTask(action) {
    return async (given) => {
      const task = atHand(given);
      if (task) await action(task, given);
      else vscode.window.showInformationMessage("Inkling: there is no answer here.");
    };
  }

  async function instruct(task) {
    const words = await vscode.window.showInputBox({
      title: `Inkling: ${task.batch.title}`, prompt: "Instructions", value: task.spec.instructions || "",
    });
    if (words === undefined || task.closed) return;
    task.spec.instructions = words.trim() || undefined;
    tasks.again(task);
  }

  async function copy(task) {
    if (task.state !== "done") return;
    await vscode.env.clipboard.writeText(task.answers[task.index].text);
    vscode.window.setStatusBarMessage("Inkling: the answer is in the clipboard", 5000);
  }

  /** One selection of several is rejected by the action above it; everything else means all of them. */
  function reject(task, given) {
    if (given && given.task) tasks.closeTask(task);
    else tasks.close(task.batch);
  }

  async function stop() {
    const chat = chatHere();
    if (chat && chat.request !== null) {
      await chat.stop();
      return;
    }
    const running = tasks.batches.filter((batch) => batch.tasks.some((task) => task.state !== "done"));
    const task = atHand(undefined, true);
    const batch = task && running.includes(task.batch) ? task.batch : running[running.length - 1];
    if (batch) tasks.close(batch);
    else if (chats.running.length > 0) await chats.running[chats.running.length - 1].stop();
    else vscode.window.showInformationMessage("Inkling: nothing is at work.");
  }

  async function stopAll() {
    for (const task of tasks.all) if (task.state !== "done") tasks.closeTask(task);
    await chats.stopAll();
  }

  function chatHere() {
    const editor = vscode.window.activeTextEditor;
    return editor && chats.of(editor.document);
  }

  function inChat(action) {
    return async () => {
      const chat = chatHere();
      if (chat) await action(chat);
      else vscode.window.showInformationMessage("Inkling: this is no chat.");
    };
  }

  async function voice(given) {
    await client.ready();
    const chosen = given && given.voice ? given.voice : await menus.voice(client);
    if (chosen === undefined) return;
    await settings.setVoice(chosen);
    chats.setVoice(chosen);
    vscode.window.setStatusBarMessage(`Inkling: the voice is ${chosen}`, 5000);
  }

  return {
    atHand,
    handlers: {
      "inkling.menu": menu,
      "inkling.rephrase": starts({ feature: "rephrase" }),
      "inkling.rephraseAs": chooses("rephrase", "tone", "the tone", menus.tones),
      "inkling.summarize": starts({ feature: "summarize" }),
      "inkling.summarizeAs": chooses("summarize", "style", "the form of the summary", menus.styles),
      "inkling.brainstorm": chooses("brainstorm", "kind", "what to make up", menus.kinds),
      "inkling.run": chooses("command", "id", "a command of yours", menus.commands),
      "inkling.accept": withTask((task) => accept.accept(tasks, task.batch.tasks)),
      "inkling.acceptSome": withTask((task) => accept.acceptChosen(tasks, task.batch.tasks)),
      "inkling.reject": withTask(reject),
      "inkling.retry": withTask((task) => tasks.retry(task)),
      "inkling.next": withTask((task) => tasks.turn(task, 1)),
      "inkling.previous": withTask((task) => tasks.turn(task, -1)),
      "inkling.instruct": withTask(instruct),
      "inkling.diff": withTask((task) => preview.diff(task.batch)),
      "inkling.show": withTask((task) => preview.open(task.batch, false)),
      "inkling.copy": withTask(copy),
      "inkling.stop": stop,
      "inkling.stopAll": stopAll,
      "inkling.chat": () => chats.start(),
      "inkling.chatSend": inChat((chat) => chat.send()),
      "inkling.chatRetry": inChat((chat) => chat.retry()),
      "inkling.chatTakeBack": inChat((chat) => chat.takeBack()),
      "inkling.sessions": () => chats.choose(),
      "inkling.voice": voice,
      "inkling.model": () => models.choose(),
      "inkling.stopDaemon": () => models.stopDaemon(),
      "inkling.status": () => doctor.status(client),
      "inkling.doctor": () => doctor.check(client, parts.version, parts.channel),
    },
  };
}

module.exports = { all };
