"use strict";
// Requests about regions of documents, from the command that asks to the answer that is kept or thrown away. What one
// command asks, one request for each selection, is a batch: it is accepted at once and taken back at once.
const vscode = require("vscode");
const request = require("./request");
const text = require("./text");

// More are sent when some are done; the daemon takes 64 of a connection.
const AT_ONCE = 32;

/**
 * @typedef {{id: number, title: string, spec: import("./request").Spec, placement: string,
 *   document: import("vscode").TextDocument, tasks: Task[], closed: boolean}} Batch
 * @typedef {{id: number, batch: Batch, document: import("vscode").TextDocument, spec: import("./request").Spec,
 *   region: text.Span, source: string, needsText: boolean, answers: {text: string, warnings: string[]}[],
 *   index: number, tries: number, state: "queued" | "waiting" | "writing" | "done", partial: string,
 *   progress: {message: string, percentage?: number} | null, request: number | null, closed: boolean,
 *   isAccepting?: boolean, usage?: any}} Task
 */

class Tasks {
  /** @param {{client: import("./client").Client, failures: request.Failures}} parts */
  constructor({ client, failures }) {
    this.client = client;
    this.failures = failures;
    this.regions = new text.Regions();
    /** @type {Batch[]} */
    this.batches = [];
    this.lastId = 0;
    this.emitter = new vscode.EventEmitter();
    /** Fired with the task that has changed, or that is no more. */
    this.onDidChange = this.emitter.event;
    /** Called with a batch all of whose answers are there and that wants no preview. */
    this.onDone = (_batch) => {};
    this.closing = vscode.workspace.onDidCloseTextDocument((document) => {
      for (const batch of this.of(document)) this.close(batch);
    });
  }

  /** @returns {Task[]} */
  get all() {
    return this.batches.flatMap((batch) => batch.tasks);
  }

  of(document) {
    return this.batches.filter((batch) => batch.document === document);
  }

  /** The task in whose lines a position is; of several the latest. @returns {Task | undefined} */
  at(document, position) {
    return this.of(document).flatMap((batch) => batch.tasks).reverse().find((task) => {
      const range = text.rangeOf(document, task.region);
      return position.line >= range.start.line && position.line <= range.end.line;
    });
  }

  /**
   * Starts a request for each span.
   * @param {import("vscode").TextDocument} document
   * @param {text.Span[]} spans
   * @param {import("./request").Spec} spec
   * @param {boolean} needsText whether the spans are the input
   */
  begin(document, spans, spec, needsText) {
    const wanted = needsText ? spans.filter((span) => !text.isBlank(text.textOf(document, span))) : spans;
    if (wanted.length === 0) {
      vscode.window.showInformationMessage("Inkling: there is no text here.");
      return undefined;
    }
    // A newer request for the same text takes the older one's place.
    for (const task of this.of(document).flatMap((batch) => batch.tasks)) {
      const { start, end } = task.region;
      const isTaken = (span) => (span.start < end && start < span.end) || (span.start === start && span.end === end);
      if (wanted.some(isTaken)) this.closeTask(task);
    }
    /** @type {Batch} */
    const batch = {
      id: ++this.lastId, document, spec, tasks: [], closed: false, title: request.title(this.client, spec),
      placement: request.placement(this.client, spec, document.uri),
    };
    this.batches.push(batch);
    batch.tasks = wanted.map((span) => ({
      id: ++this.lastId, batch, document, spec: { ...spec }, needsText, source: text.textOf(document, span),
      region: this.regions.follow(document, span), answers: [], index: 0, tries: 0, state: "queued", partial: "",
      progress: null, request: null, closed: false,
    }));
    this.pump();
    return batch;
  }

  /** Another draft; of the present text, if that was changed meanwhile. @param {Task} task */
  retry(task) {
    if (task.needsText) {
      const source = text.textOf(task.document, task.region);
      if (text.isBlank(source)) {
        vscode.window.showInformationMessage("Inkling: the text is gone.");
        return;
      }
      if (source !== task.source) Object.assign(task, { source, answers: [], index: 0 });
    }
    task.tries += 1;
    this.again(task);
  }

  /** The same once more, with instructions that were changed for instance. @param {Task} task */
  again(task) {
    this.client.cancel(task.request);
    Object.assign(task, { request: null, state: "queued", partial: "", progress: null });
    this.pump();
  }

  /** The next answer or, behind the last one, another draft. @param {Task} task */
  turn(task, step) {
    if (task.state !== "done") {
      vscode.window.showInformationMessage("Inkling: the answer is still being written.");
    } else if (task.index + step >= task.answers.length) {
      this.retry(task);
    } else {
      task.index = Math.max(task.index + step, 0);
      this.emitter.fire(task);
    }
  }

  /** Ends a batch; requests that run are cancelled. @param {Batch} batch */
  close(batch) {
    for (const task of [...batch.tasks]) this.closeTask(task);
  }

  closeAll() {
    for (const batch of [...this.batches]) this.close(batch);
  }

  /** @param {Task} task */
  closeTask(task) {
    if (task.closed) return;
    task.closed = true;
    this.client.cancel(task.request);
    task.request = null;
    this.regions.forget(task.region);
    task.batch.tasks = task.batch.tasks.filter((other) => other !== task);
    if (task.batch.tasks.length === 0) {
      task.batch.closed = true;
      this.batches = this.batches.filter((batch) => batch !== task.batch);
    }
    this.emitter.fire(task);
    this.pump();
    this.settle(task.batch);
  }

  dispose() {
    this.closeAll();
    this.regions.dispose();
    this.closing.dispose();
    this.emitter.dispose();
  }

  /** What is shown of a task. @param {Task} task */
  shown(task) {
    return task.state === "done" ? task.answers[task.index].text : task.partial;
  }

  /** @private */
  pump() {
    const queued = this.all.filter((task) => task.state === "queued");
    const running = this.all.filter((task) => task.request !== null).length;
    for (const task of queued.slice(0, Math.max(AT_ONCE - running, 0))) this.send(task);
  }

  /** @private */
  send(task) {
    // The likeliest answer is known when another one is asked for: it is drawn by chance, warmer each time.
    const options = task.tries > 0
      ? { temperature: Math.min(0.6 + 0.2 * task.tries, 1.2), seed: Math.floor(Math.random() * 2 ** 32) } : {};
    const { method, params } = request.make(task, options);
    task.state = "waiting";
    task.request = this.client.request(
      method, params, (failure, result) => this.finish(task, failure, result), (value) => this.heard(task, value));
    this.emitter.fire(task);
  }

  /** @private */
  heard(task, value) {
    if (value.kind === "begin" || value.kind === "report") {
      task.progress = { message: value.message || value.title || "", percentage: value.percentage };
    } else if (value.kind === "text" || value.kind === "structured") {
      task.partial = value.kind === "text"
        ? text.appended(task.partial, value, this.client.encoding) : request.shownValue(value.value);
      task.state = "writing";
    } else {
      return;
    }
    this.emitter.fire(task);
  }

  /** @private */
  finish(task, failure, result) {
    Object.assign(task, { request: null, partial: "", progress: null });
    const answers = failure ? [] : request.answers(result);
    if (answers.length > 0) {
      task.index = task.answers.length;
      task.answers.push(...answers);
      task.usage = result.usage;
    } else if (failure) {
      const { document, spec, needsText, region } = task;
      const span = { ...region };
      this.failures.show(failure, () => this.begin(document, [span], spec, needsText));
    } else {
      vscode.window.showWarningMessage("Inkling: the answer is empty. Nothing was changed.");
    }
    if (task.answers.length === 0) return this.closeTask(task);
    // What was there before another try is there still.
    task.state = "done";
    this.emitter.fire(task);
    this.pump();
    this.settle(task.batch);
  }

  /** @private */
  settle(batch) {
    if (batch.spec.now && !batch.closed && batch.tasks.every((task) => task.state === "done")) this.onDone(batch);
  }
}

module.exports = { Tasks };
