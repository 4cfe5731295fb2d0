"use strict";
// A conversation in a document: what stands below the last “# You” is what is said next. An answer is written above
// that place, so that the next message can be written meanwhile. The turns are kept here too, so that the session can
// be made again when the daemon was started anew.
const vscode = require("vscode");
const settings = require("./settings");
const text = require("./text");
const { EMPTY, INKLING, YOU } = require("./chatfiles");

// What stands before and behind an answer; together they are the gap between a message and the next one.
const HEAD = `\n\n${INKLING}\n\n`;
const TAIL = `\n\n${YOU}\n\n`;

let created = 0;

/** A name that no other window and no later day gives. */
function newName() {
  created += 1;
  return `vscode-${Date.now().toString(36)}-${process.pid}-${created}`;
}

/** The turns of a transcript that were said in a chat. */
function turnsOf(transcript) {
  const turns = [];
  for (const entry of transcript) {
    if (entry.role === "prompt") turns.push({ message: entry.text || "", answer: "" });
    else if (entry.role === "response" && turns.length > 0) turns[turns.length - 1].answer = entry.text || "";
  }
  return turns.filter((turn) => turn.answer);
}

class Chat {
  /**
   * @param {import("vscode").TextDocument} document
   * @param {{client: import("./client").Client, regions: text.Regions, failures: import("./request").Failures,
   *   changed: (usage?: object) => void}} parts
   * @param {{sessionId: string, turns: {message: string, answer: string}[]}} [resumed]
   */
  constructor(document, parts, resumed) {
    Object.assign(this, parts);
    this.document = document;
    this.sessionId = resumed ? resumed.sessionId : null;
    this.isPersisted = Boolean(resumed);
    this.isClosed = false;
    this.request = null;
    this.state = "waiting";
    this.progress = null;
    this.wanted = null;
    this.writing = null;
    this.turns = [];
    let offset = EMPTY.length;
    for (const turn of resumed ? resumed.turns : []) {
      const start = offset + turn.message.length;
      offset = start + HEAD.length + turn.answer.length + TAIL.length;
      this.turns.push({ ...turn, gap: this.regions.follow(document, { start, end: offset }) });
    }
  }

  static content(turns) {
    return EMPTY + turns.map((turn) => turn.message + HEAD + turn.answer + TAIL).join("");
  }

  /** Says what stands below the last heading. */
  async send() {
    if (this.refuses()) return;
    const start = this.promptStart();
    const whole = this.document.getText();
    const message = whole.slice(start).trim();
    if (!message) {
      vscode.window.showInformationMessage(`Inkling: write below the last “${YOU}”, then send it.`);
      return;
    }
    // Blank lines around the message are not kept.
    const span = { start, end: whole.length };
    if (!await this.replace(span, message + HEAD + TAIL)) return;
    const from = start + message.length;
    const gap = this.regions.follow(this.document, { start: from, end: from + HEAD.length + TAIL.length });
    const turn = { message, answer: "", gap };
    this.turns.push(turn);
    this.toEnd();
    this.say(turn, { message });
  }

  /** Answers the last message again. */
  async retry() {
    const turn = this.lastTurn();
    if (!turn) return;
    turn.before = turn.answer;
    await this.write(turn, "");
    this.say(turn, { retry: true });
  }

  /** Takes the last exchange back; its message can be changed and sent again. */
  async takeBack() {
    const turn = this.lastTurn();
    if (!turn) return;
    await this.remove(turn);
    try {
      await this.client.ask("session/rewind", { sessionId: this.sessionId, turns: 1 });
    } catch (failure) {
      // Made again with the turns that are left.
      this.sessionId = null;
    }
  }

  /** Ends the request that runs; what was shown of its answer is void. */
  async stop() {
    if (this.request === null) return;
    this.client.cancel(this.request);
    await this.ended(this.turns[this.turns.length - 1]);
  }

  /** Goes on in another voice, with what was said. */
  setVoice(personality) {
    if (this.sessionId === null || !this.client.isRunning) return;
    this.client.request(
      "session/update", { sessionId: this.sessionId, personality, keepHistory: true },
      (failure) => failure && this.failures.show(failure));
  }

  close() {
    this.isClosed = true;
    this.client.cancel(this.request);
    this.request = null;
    for (const turn of this.turns) this.regions.forget(turn.gap);
    if (this.sessionId !== null && !this.isPersisted && this.client.isRunning) {
      this.client.request("session/delete", { sessionId: this.sessionId }, () => {});
    }
    this.changed();
  }

  /** @private */
  refuses() {
    if (this.request !== null) vscode.window.showInformationMessage("Inkling: the answer is still being written.");
    return this.request !== null;
  }

  /** @private */
  lastTurn() {
    if (this.refuses()) return undefined;
    const turn = this.turns[this.turns.length - 1];
    if (!turn) vscode.window.showInformationMessage("Inkling: nothing was said yet.");
    return turn;
  }

  /** @private Where the next message begins. */
  promptStart() {
    const last = this.turns[this.turns.length - 1];
    if (last) return last.gap.end;
    const headings = [...this.document.getText().matchAll(/^# You(?:\r?\n){0,2}/gm)];
    const heading = headings[headings.length - 1];
    return heading ? heading.index + heading[0].length : 0;
  }

  /** @private A session with all that was said before a turn. */
  create(current) {
    const chosen = settings.chat();
    this.sessionId = newName();
    this.isPersisted = chosen.persist;
    const transcript = this.turns.filter((turn) => turn !== current).flatMap((turn) => [
      { role: "prompt", text: turn.message, feature: "assistant/chat" },
      { role: "response", text: turn.answer, feature: "assistant/chat" },
    ]);
    if (chosen.instructions) transcript.unshift({ role: "instructions", text: chosen.instructions });
    const title = this.turns[0].message.split("\n")[0].slice(0, 60);
    this.client.request("session/create", {
      sessionId: this.sessionId, title, personality: settings.read().voice || undefined,
      instructions: chosen.instructions || undefined, contextPolicy: "slidingWindow", persist: chosen.persist,
      transcript,
    }, (failure) => {
      if (failure) this.sessionId = null;
    });
  }

  /** @private */
  say(turn, what, isAgain = false) {
    if (this.sessionId === null) {
      this.create(turn);
      // A session made anew knows only the turns before, so the message is said again.
      what = { message: turn.message };
    }
    const { options } = settings.read();
    const params = { sessionId: this.sessionId, ...what };
    if (options && Object.keys(options).length > 0) params.options = options;
    this.state = "waiting";
    this.progress = null;
    let partial = "";
    const id = this.client.request("assistant/chat", params, async (failure, result) => {
      if (this.isClosed || this.request !== id) return;
      const kind = failure && failure.data ? failure.data.kind : "";
      if (kind === "sessionNotFound" && !isAgain && !this.isPersisted) {
        this.sessionId = null;
        this.say(turn, what, true);
      } else if (failure || !result.text) {
        await this.ended(turn);
        if (failure) this.failures.show(failure);
        else vscode.window.showWarningMessage("Inkling: the answer is empty.");
      } else {
        await this.answered(turn, result);
      }
    }, (value) => {
      if (this.isClosed || this.request !== id) return;
      if (value.kind === "text") {
        this.state = "writing";
        partial = text.appended(partial, value, this.client.encoding);
        this.write(turn, partial);
      } else if (value.kind === "begin" || value.kind === "report") {
        this.progress = { message: value.message || value.title || "", percentage: value.percentage };
      }
      this.changed();
    });
    this.request = id;
    this.changed();
  }

  /** @private */
  async answered(turn, result) {
    this.request = null;
    turn.answer = result.text;
    turn.before = undefined;
    await this.write(turn, result.text);
    for (const warning of result.warnings || []) vscode.window.showWarningMessage(`Inkling: ${warning.message}`);
    // Nothing is lost when the document is closed: what was said is all that there is.
    await this.document.save();
    this.changed(result.usage);
  }

  /** @private A request has ended without an answer: the document is as before it. */
  async ended(turn) {
    this.request = null;
    this.changed();
    if (turn.before) {
      turn.answer = turn.before;
      turn.before = undefined;
      await this.write(turn, turn.answer);
    } else {
      await this.remove(turn);
    }
  }

  /** @private Makes a turn's message the next one again, before what was written meanwhile. */
  async remove(turn) {
    await this.writing;
    this.turns = this.turns.filter((other) => other !== turn);
    const hasMore = this.document.getText().length > turn.gap.end;
    // It fails when something was typed at the same moment.
    for (let tries = 0; tries < 20 && !await this.replace(turn.gap, hasMore ? "\n\n" : ""); tries += 1);
    this.regions.forget(turn.gap);
  }

  /** @private Shows an answer. What comes while the document is being edited is shown after that, and only the last. */
  write(turn, words) {
    this.wanted = words;
    if (!this.writing) {
      this.writing = this.catchUp(turn).finally(() => {
        this.writing = null;
      });
    }
    return this.writing;
  }

  /** @private */
  async catchUp(turn) {
    for (let tries = 0; this.wanted !== null && !this.isClosed && tries < 20; tries += 1) {
      const words = this.wanted;
      const start = turn.gap.start + HEAD.length;
      const end = Math.max(turn.gap.end - TAIL.length, start);
      const shown = text.textOf(this.document, { start, end }).replace(/\r\n/g, "\n");
      let same = 0;
      while (same < shown.length && same < words.length && shown[same] === words[same]) same += 1;
      const isDone = shown === words || await this.replace({ start: start + same, end }, words.slice(same));
      // It fails when something was typed at the same moment.
      if (isDone) tries = 0;
      if (isDone && this.wanted === words) this.wanted = null;
    }
  }

  /** @private The edits of a chat are one step of undo, as far as nothing is typed between. */
  async replace(span, words) {
    const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === this.document);
    const range = text.rangeOf(this.document, span);
    if (editor) {
      return editor.edit((builder) => builder.replace(range, words), { undoStopBefore: false, undoStopAfter: false });
    }
    const edit = new vscode.WorkspaceEdit();
    edit.replace(this.document.uri, range, words);
    return vscode.workspace.applyEdit(edit);
  }

  /** @private */
  toEnd() {
    const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === this.document);
    if (!editor) return;
    const end = this.document.positionAt(this.document.getText().length);
    editor.selection = new vscode.Selection(end, end);
    editor.revealRange(new vscode.Range(end, end));
  }
}

module.exports = { Chat, turnsOf };
