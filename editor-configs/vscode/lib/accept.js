"use strict";
// What becomes of answers: where they are put, in one edit that one undo takes back.
const vscode = require("vscode");
const edits = require("./edits");
const text = require("./text");

/** @typedef {import("./tasks").Task} Task @typedef {import("./edits").Edit} Edit */

/** The edit that puts a block of lines of its own above or below a span, with blank lines around it. */
function blockEdit(document, span, block, isAbove) {
  const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const lines = block.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n").join(eol);
  const isBlank = (line) => line < 0 || line >= document.lineCount || document.lineAt(line).isEmptyOrWhitespace;
  const first = document.positionAt(span.start).line;
  const end = document.positionAt(span.end);
  // Behind whole lines a selection ends at the start of the next one.
  const last = end.character === 0 && end.line > first ? end.line - 1 : end.line;
  if (document.lineCount === 1 && isBlank(0)) {
    return { start: 0, end: document.getText().length, newText: lines };
  }
  if (isAbove) {
    const start = document.offsetAt(new vscode.Position(first, 0));
    return {
      start, end: start,
      newText: (isBlank(first - 1) ? "" : eol) + lines + eol + (isBlank(first) ? "" : eol),
    };
  }
  const start = document.offsetAt(document.lineAt(last).range.end);
  return {
    start, end: start,
    newText: eol + (isBlank(last) ? "" : eol) + lines + (isBlank(last + 1) ? "" : eol),
  };
}

function isStale(task) {
  return task.batch.placement === "replace" && text.textOf(task.document, task.region) !== task.source;
}

/**
 * The edits that an answer makes in its document; none when it goes elsewhere.
 * @param {Task} task
 * @param {string} encoding
 * @returns {Edit[]}
 */
function editsOf(task, encoding) {
  const { document, region, batch } = task;
  const answer = task.answers[task.index];
  if (batch.placement === "below" || batch.placement === "above") {
    return [blockEdit(document, region, answer.text, batch.placement === "above")];
  }
  if (batch.placement !== "replace") return [];
  // What was changed meanwhile is replaced as a whole.
  if (isStale(task)) return [{ ...region, newText: answer.text }];
  return edits.ofAnswer(task.source, answer, encoding).map((edit) => ({
    start: region.start + edit.start, end: region.start + edit.end, newText: edit.newText,
  }));
}

/** Where an offset is after edits of which none contains it. */
function shifted(offset, list, isAbove) {
  return list.reduce((sum, edit) => (
    edit.end < offset || (edit.end === offset && isAbove) ? sum + edit.newText.length - (edit.end - edit.start) : sum
  ), offset);
}

/** Applies edits as one step of undo. @param {Edit[]} list @returns {Promise<boolean>} */
async function apply(document, list, placement) {
  const sorted = [...list].sort((one, other) => one.start - other.start || one.end - other.end);
  const editor = vscode.window.visibleTextEditors.find((visible) => visible.document === document);
  if (!editor) {
    const workspaceEdit = new vscode.WorkspaceEdit();
    for (const edit of sorted) workspaceEdit.replace(document.uri, text.rangeOf(document, edit), edit.newText);
    return vscode.workspace.applyEdit(workspaceEdit);
  }
  const isBlock = placement === "below" || placement === "above";
  const cursors = editor.selections.map((selection) => [selection.anchor, selection.active].map((position) => (
    shifted(document.offsetAt(position), sorted, placement === "above"))));
  const done = await editor.edit((builder) => {
    for (const edit of sorted) builder.replace(text.rangeOf(document, edit), edit.newText);
  }, { undoStopBefore: true, undoStopAfter: true });
  if (done && isBlock) {
    // A block is put beside the text: the cursor stays where it was in that.
    editor.selections = cursors.map(([anchor, active]) => (
      new vscode.Selection(document.positionAt(anchor), document.positionAt(active))));
  }
  return done;
}

async function elsewhere(placement, document, words) {
  if (placement === "clipboard") {
    await vscode.env.clipboard.writeText(words);
    vscode.window.setStatusBarMessage("Inkling: the answer is in the clipboard", 5000);
  } else if (placement === "notification") {
    const chosen = await vscode.window.showInformationMessage(words, "Copy");
    if (chosen === "Copy") await vscode.env.clipboard.writeText(words);
  } else {
    const made = await vscode.workspace.openTextDocument({ content: words, language: document.languageId });
    await vscode.window.showTextDocument(made, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }
}

/** What to do with text that was changed since it was asked for. @returns {Promise<string | undefined>} */
function askAboutStale(stale, count) {
  const which = count > 1 ? `${stale} of the ${count} texts were` : "The text was";
  return vscode.window.showWarningMessage(
    `Inkling: ${which} changed since this was asked for.`, "Try Again", "Replace Anyway");
}

/**
 * Puts the answers of some tasks of a batch where they belong and ends these tasks. With `chosen` only those of their
 * edits are made.
 * @param {import("./tasks").Tasks} tasks
 * @param {Task[]} some
 * @param {Edit[]} [chosen]
 * @returns {Promise<boolean>} whether it was done
 */
async function accept(tasks, some, chosen) {
  if (some.length === 0 || some.some((task) => task.state !== "done")) {
    vscode.window.showInformationMessage("Inkling: the answer is still being written.");
    return false;
  }
  // Twice the key is once the answer.
  if (some.some((task) => task.isAccepting)) return false;
  for (const task of some) task.isAccepting = true;
  try {
    return await put(tasks, some, chosen);
  } finally {
    for (const task of some) task.isAccepting = false;
  }
}

async function put(tasks, some, chosen) {
  const { document, placement } = some[0].batch;
  const stale = some.filter(isStale);
  if (stale.length > 0) {
    const answer = await askAboutStale(stale.length, some.length);
    if (answer === "Try Again") for (const task of stale) if (!task.closed) tasks.retry(task);
    if (answer !== "Replace Anyway" || some.some((task) => task.closed)) return false;
  }
  if (["replace", "below", "above"].includes(placement)) {
    const list = chosen || some.flatMap((task) => editsOf(task, tasks.client.encoding));
    let done = false;
    try {
      done = list.length === 0 || await apply(document, list, placement);
    } catch (error) {
      vscode.window.showErrorMessage(`Inkling: ${error.message}`);
      return false;
    }
    if (!done) {
      vscode.window.showErrorMessage("Inkling: this document could not be changed. Copy the answer, or try again.");
      return false;
    }
  } else {
    const words = some.map((task) => task.answers[task.index].text).join("\n\n");
    // A notification may stand for long, and its task is over when it is shown.
    elsewhere(placement, document, words);
  }
  const warnings = some.flatMap((task) => task.answers[task.index].warnings);
  const wasUnseen = some[0].batch.spec.now;
  for (const task of some) tasks.closeTask(task);
  if (wasUnseen && warnings.length > 0) vscode.window.showWarningMessage(`Inkling: ${warnings.join(" ")}`);
  return true;
}

function short(words) {
  const line = words.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** Asks which of the changes are wanted and makes these. @param {import("./tasks").Tasks} tasks @param {Task[]} some */
async function acceptChosen(tasks, some) {
  if (some.length === 0 || some.some((task) => task.state !== "done" || isStale(task))) return accept(tasks, some);
  const { document, placement } = some[0].batch;
  const list = some.flatMap((task) => editsOf(task, tasks.client.encoding));
  if (placement !== "replace" || list.length === 0) return accept(tasks, some);
  const version = document.version;
  const items = list.map((edit) => ({
    label: `${short(text.textOf(document, edit)) || "∅"} → ${short(edit.newText) || "∅"}`,
    description: `line ${document.positionAt(edit.start).line + 1}`, picked: true, edit,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true, title: "Inkling: which changes?", placeHolder: "Those that are ticked are made",
  });
  if (!picked || some.some((task) => task.closed)) return false;
  if (document.version !== version) {
    vscode.window.showWarningMessage("Inkling: the document was changed meanwhile. Choose again.");
    return false;
  }
  return accept(tasks, some, picked.map((item) => item.edit));
}

module.exports = { accept, acceptChosen, editsOf };
