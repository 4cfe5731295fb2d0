"use strict";
// One window with the extension in it, a document, and a daemon that does what the test says.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { Host } = require("./standin/host");
const { Selection, Uri } = require("./standin/types");

const ROOT = path.resolve(__dirname, "../../..");
const EXTENSION = path.join(ROOT, "editor-configs/vscode");
const DAEMON = path.join(ROOT, "Tests/EditorTests/scripted_daemon.py");
const MANIFEST = JSON.parse(fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8"));
const DEADLINE = 60_000;

// `require("vscode")` in the extension is answered with the stand-in of the test that runs.
const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveFilename(name, ...more) {
  return name === "vscode" ? "vscode" : resolve.call(this, name, ...more);
};

function load(host, name = "extension.js") {
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(EXTENSION)) delete require.cache[file];
  }
  require.cache.vscode = { id: "vscode", filename: "vscode", loaded: true, exports: host.api };
  return require(path.join(EXTENSION, name));
}

/** Waits for a condition, and says what was waited for when it does not come. */
async function until(condition, what) {
  const deadline = Date.now() + DEADLINE;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) assert.fail(`waited for ${typeof what === "function" ? await what() : what}`);
    await new Promise((done) => setTimeout(done, 4));
  }
}

class Window {
  constructor(options) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "inkling-vscode-"));
    this.logPath = path.join(this.folder, "log.jsonl");
    const script = path.join(this.folder, "script.json");
    fs.writeFileSync(this.logPath, "");
    fs.writeFileSync(script, JSON.stringify({ ...options.script, methods: options.methods || {} }));
    const scripted = ["python3", DAEMON, script, this.logPath];
    this.host = new Host(MANIFEST, {
      "inkling.command": options.command || (options.wrapper ? options.wrapper(scripted, this.logPath) : scripted),
      "inkling.prewarm.enabled": false, ...options.settings,
    });
    this.extension = load(this.host);
    this.context = { subscriptions: [], extension: { packageJSON: MANIFEST } };
    this.extension.activate(this.context);
  }

  /** Opens a document and works in it; `{{` and `}}` are the edges of selections, `|` is the cursor without any. */
  async open(marked, name = "notes.md", languageId = "markdown") {
    const edges = [];
    let content = "";
    for (const part of marked.split(/(\{\{|\}\}|\|)/)) {
      if (part === "{{" || part === "}}" || part === "|") edges.push(content.length);
      else content += part;
    }
    if (!marked.includes("{{")) edges.push(...edges);
    const document = this.host.open(Uri.file(`/documents/${name}`), languageId, content);
    const editor = await this.host.showTextDocument(document, {});
    this.select(editor, edges);
    Object.assign(this, { document, editor });
    return document;
  }

  select(editor, edges) {
    const selections = [];
    for (let index = 0; index + 1 < edges.length; index += 2) {
      const [start, end] = edges.slice(index, index + 2).map((offset) => editor.document.positionAt(offset));
      selections.push(new Selection(start, end));
    }
    if (selections.length > 0) editor.selections = selections;
  }

  get text() {
    return this.document.getText();
  }

  /** Types at an offset, as a person does meanwhile. */
  type(offset, words, document = this.document) {
    const at = document.positionAt(offset);
    document.apply([{ range: new Selection(at, at), text: words }]);
  }

  command(name, given) {
    return this.host.execute(`inkling.${name}`, given);
  }

  log() {
    return fs.readFileSync(this.logPath, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  sent(method) {
    return this.log().map((entry) => entry.in).filter((message) => message && message.method === method);
  }

  untilSent(method, count = 1) {
    return until(() => {
      const found = this.sent(method);
      return found.length >= count && found;
    }, `${count} of ${method}`);
  }

  /** The lines of ghost text of a document. */
  ghosts(editor = this.editor) {
    return [...editor.decorations.values()].flat().map((option) => option.renderOptions)
      .filter(Boolean).map((options) => options.after.contentText);
  }

  /** How many marks of the extension are in a document. */
  get marks() {
    return [...this.editor.decorations.values()].flat().length;
  }

  untilGhost(words) {
    return until(() => this.ghosts().some((line) => line.includes(words)), () => `“${words}” in ${this.ghosts()}`);
  }

  async lenses() {
    return (await this.host.lenses(this.document)).map((lens) => lens.command.title);
  }

  /** Waits until answers can be accepted. */
  untilDone(count = 1) {
    return until(async () => (await this.lenses()).filter((title) => title.startsWith("$(check)")).length >= count,
      async () => `${count} answers: ${await this.lenses()}`);
  }

  untilText(expected) {
    return until(() => this.text === expected, () => `${JSON.stringify(expected)} in ${JSON.stringify(this.text)}`);
  }

  untilMessage(words) {
    const { messages } = this.host;
    return until(() => messages.find(({ message }) => message.includes(words)),
      () => `“${words}” in ${messages.map(({ message }) => message).join(" / ")}`);
  }

  status() {
    return [...this.host.statusItems].filter((item) => item.isVisible).map((item) => item.text).join(" ");
  }

  /** As VS Code ends an extension. */
  async deactivate() {
    await this.extension.deactivate();
    for (const part of this.context.subscriptions.splice(0)) part.dispose();
  }

  async close() {
    await this.deactivate();
    fs.rmSync(this.folder, { recursive: true });
  }
}

/** A test with a window, which is closed after it. */
function inWindow(name, options, body) {
  test(name, { timeout: 100_000 }, async () => {
    const window = new Window(options);
    try {
      if (options.text !== undefined) await window.open(options.text, options.name, options.languageId);
      await body(window, window.host);
    } finally {
      await window.close();
    }
  });
}

/** What a daemon does to answer with a text, streamed in two parts before. */
function answer(words, more = {}) {
  const scalars = Array.from(words);
  const first = scalars.slice(0, scalars.length >> 1).join("");
  return [
    { text: first, offset: 0 }, { text: words.slice(first.length), offset: first.length },
    { result: { text: words, ...more } },
  ];
}

function rephrase(...plays) {
  return { "assistant/rephrase": plays };
}

module.exports = {
  DAEMON, EXTENSION, MANIFEST, ROOT, Window, answer, inWindow, load, rephrase, until,
};
