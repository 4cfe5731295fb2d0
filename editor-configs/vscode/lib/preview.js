"use strict";
// What is seen of answers before they are accepted, with the document untouched: a line of ghost text behind the
// source, actions above it, and the whole answer in a read-only document beside it that can be scrolled.
const vscode = require("vscode");
const accept = require("./accept");
const edits = require("./edits");
const settings = require("./settings");
const text = require("./text");

/** @typedef {import("./tasks").Task} Task @typedef {import("./tasks").Batch} Batch */

const SCHEME = "inkling-preview";
// Characters of the line of ghost text; a longer answer is opened beside.
const LINE = 120;
// The time between two drawings while text arrives.
const PAUSE = 50;

const VIEWS = { answer: "answer", source: "source", whole: "whole" };

/** What the ghost line holds: the end of what is being written, and the beginning of what is done. */
function ghost(words, isDone) {
  const line = words.trim().replace(/\s*\r?\n\s*/g, " ⏎ ").replace(/\t/g, " ");
  const scalars = Array.from(line);
  if (scalars.length <= LINE) return line;
  return isDone ? `${scalars.slice(0, LINE - 1).join("")}…` : `…${scalars.slice(1 - LINE).join("")}`;
}

function isLong(words) {
  return words.length > LINE || words.trim().includes("\n");
}

/** What a task does at the moment. @param {Task} task */
function doing(task) {
  if (task.state === "writing") {
    return task.progress && task.progress.message.startsWith("Writing part") ? task.progress.message : "writing";
  }
  if (task.progress && task.progress.message) {
    const { message, percentage } = task.progress;
    return percentage === undefined ? message : `${message} ${percentage} %`;
  }
  return "waiting";
}

class Preview {
  /** @param {import("./tasks").Tasks} tasks */
  constructor(tasks) {
    this.tasks = tasks;
    this.source = vscode.window.createTextEditorDecorationType({
      opacity: "0.6", rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
    this.line = vscode.window.createTextEditorDecorationType({
      after: { color: new vscode.ThemeColor("editorGhostText.foreground"), margin: "0 0 0 1em" },
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
    this.lenses = new vscode.EventEmitter();
    this.changes = new vscode.EventEmitter();
    this.beside = new WeakSet();
    /** Documents in which something was drawn. @type {Set<import("vscode").TextDocument>} */
    this.drawn = new Set();
    this.timer = null;
    this.drawnAt = 0;
    /** What each task did when it was drawn last. @type {WeakMap<Task, string>} */
    this.states = new WeakMap();
    this.disposables = [
      this.source, this.line, this.lenses, this.changes,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changes.event, provideTextDocumentContent: (uri) => this.content(uri),
      }),
      vscode.languages.registerCodeLensProvider({ scheme: "*" }, {
        onDidChangeCodeLenses: this.lenses.event, provideCodeLenses: (document) => this.actions(document),
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.later()),
      vscode.workspace.onDidChangeTextDocument((event) => this.tasks.of(event.document).length && this.later()),
      tasks.onDidChange((task) => this.changed(task)),
    ];
  }

  uri(batch, view) {
    const name = batch.document.uri.path.split("/").pop() || "text";
    return vscode.Uri.from({ scheme: SCHEME, path: `/${batch.id}/${view}/${name}` });
  }

  /** The batch that a document of this scheme shows. @returns {Batch | undefined} */
  batchOf(uri) {
    if (uri.scheme !== SCHEME) return undefined;
    const id = Number(uri.path.split("/")[1]);
    return this.tasks.batches.find((batch) => batch.id === id);
  }

  /** Opens the whole answer beside. @param {Batch} batch */
  async open(batch, preserveFocus) {
    const document = await vscode.workspace.openTextDocument(this.uri(batch, VIEWS.answer));
    if (batch.closed) return;
    const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === batch.document);
    const column = editor && editor.viewColumn ? editor.viewColumn + 1 : vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus, preview: true });
    if (batch.closed) this.closeTabs(batch);
  }

  /** Shows what the answers of a batch change. @param {Batch} batch */
  async diff(batch) {
    const name = batch.document.uri.path.split("/").pop();
    const isInPlace = ["replace", "below", "above"].includes(batch.placement);
    const left = isInPlace ? batch.document.uri : this.uri(batch, VIEWS.source);
    const right = this.uri(batch, isInPlace ? VIEWS.whole : VIEWS.answer);
    await vscode.commands.executeCommand("vscode.diff", left, right, `${name} ↔ ${batch.title}`, { preview: true });
  }

  dispose() {
    clearTimeout(this.timer);
    for (const batch of this.tasks.batches) this.closeTabs(batch);
    for (const disposable of this.disposables) disposable.dispose();
  }

  /** @private @param {Task} task */
  changed(task) {
    const { batch } = task;
    if (batch.closed) this.closeTabs(batch);
    // The first word and the end are seen at once, and so is that nothing is left.
    const isNews = task.closed || this.states.get(task) !== task.state;
    this.states.set(task, task.state);
    if (!task.closed) this.openIfLong(task);
    if (!isNews) return this.later();
    clearTimeout(this.timer);
    this.timer = null;
    return this.draw();
  }

  /** @private @param {Task} task */
  openIfLong(task) {
    const { batch } = task;
    const wish = settings.read(task.document.uri).preview;
    const isWanted = wish === "beside" || (wish === "auto" && isLong(this.tasks.shown(task)));
    if (isWanted && !task.spec.now && this.tasks.shown(task) && !this.beside.has(batch)) {
      this.beside.add(batch);
      this.open(batch, true);
    }
  }

  /** @private Draws at once when nothing was drawn for a while; else soon, and then what is there by that time. */
  later() {
    if (this.timer !== null) return;
    const pause = this.drawnAt + PAUSE - Date.now();
    if (pause <= 0) {
      this.draw();
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = null;
      this.draw();
    }, pause);
  }

  /** @private */
  draw() {
    this.drawnAt = Date.now();
    const visible = this.tasks.batches.filter((batch) => !batch.spec.now);
    const documents = new Set([...this.drawn, ...visible.map((batch) => batch.document)]);
    for (const editor of vscode.window.visibleTextEditors) {
      if (!documents.has(editor.document)) continue;
      const tasks = visible.filter((batch) => batch.document === editor.document).flatMap((batch) => batch.tasks);
      const replaced = tasks.filter((task) => task.batch.placement === "replace");
      editor.setDecorations(this.source, replaced.map((task) => text.rangeOf(editor.document, task.region)));
      editor.setDecorations(this.line, tasks.map((task) => this.lineOf(task)));
    }
    this.drawn = new Set(visible.map((batch) => batch.document));
    this.lenses.fire();
    for (const batch of this.tasks.batches) {
      for (const view of Object.values(VIEWS)) this.changes.fire(this.uri(batch, view));
    }
  }

  /** @private @param {Task} task */
  lineOf(task) {
    const words = this.tasks.shown(task);
    const end = task.document.positionAt(task.region.end);
    const hover = new vscode.MarkdownString();
    hover.appendText(words || doing(task));
    return {
      range: new vscode.Range(end, end), hoverMessage: hover,
      renderOptions: { after: { contentText: `→ ${ghost(words, task.state === "done") || `${doing(task)} …`}` } },
    };
  }

  /** @private The actions above a text. @param {import("vscode").TextDocument} document */
  actions(document) {
    const batches = this.tasks.of(document).filter((batch) => !batch.spec.now);
    return batches.flatMap((batch) => batch.tasks).flatMap((task) => {
      const start = document.positionAt(task.region.start);
      const range = new vscode.Range(start, start);
      const lens = (title, command) => new vscode.CodeLens(range, {
        title, command: command || "", arguments: command ? [{ task: task.id }] : undefined,
      });
      if (task.state !== "done") {
        return [lens(`$(loading~spin) ${task.batch.title}: ${doing(task)}`), lens("Stop", "inkling.reject")];
      }
      const { tasks, placement, title } = task.batch;
      const where = placement === "replace" ? "" : ` (${placement})`;
      const which = task.answers.length > 1 ? ` ${task.index + 1}/${task.answers.length}` : "";
      const all = tasks.length > 1 ? ` all ${tasks.length}` : "";
      return [
        ...task.answers[task.index].warnings.map((warning) => lens(`$(warning) ${warning}`)),
        lens(`${title}${where}${which}`), lens(`$(check) Accept${all}`, "inkling.accept"),
        lens("$(close) Reject", "inkling.reject"), lens("$(refresh) Try Again", "inkling.retry"),
        lens("Next", "inkling.next"), lens("Difference", "inkling.diff"), lens("Show", "inkling.show"),
        lens("Instructions…", "inkling.instruct"),
      ];
    });
  }

  /** @private @param {import("vscode").Uri} uri */
  content(uri) {
    const batch = this.batchOf(uri);
    if (!batch) return "";
    const view = uri.path.split("/")[2];
    if (view === VIEWS.whole) return this.whole(batch);
    const parts = batch.tasks.map((task) => (view === VIEWS.source ? task.source : this.tasks.shown(task)));
    return parts.length === 1 ? parts[0]
      : parts.map((part, index) => `—— ${index + 1} of ${parts.length} ——\n${part}\n`).join("\n");
  }

  /** @private The document as it will be, as far as answers are there. @param {Batch} batch */
  whole(batch) {
    const list = batch.tasks.filter((task) => task.state === "done" || batch.placement === "replace")
      .flatMap((task) => {
        if (task.state === "done") return accept.editsOf(task, this.tasks.client.encoding);
        return task.partial ? [{ ...task.region, newText: task.partial }] : [];
      });
    list.sort((one, other) => one.start - other.start || one.end - other.end);
    const before = batch.document.getText();
    const after = edits.applied(before, list);
    return after === null ? before : after;
  }

  /** @private @param {Batch} batch */
  closeTabs(batch) {
    const isOurs = (uri) => uri.scheme === SCHEME && uri.path.startsWith(`/${batch.id}/`);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => {
      const { input } = tab;
      return (input instanceof vscode.TabInputText && isOurs(input.uri))
        || (input instanceof vscode.TabInputTextDiff && isOurs(input.modified));
    });
    if (tabs.length > 0) vscode.window.tabGroups.close(tabs, true);
  }
}

module.exports = { Preview, SCHEME, doing, ghost };
