"use strict";
// What is asked and what the answer says.
const vscode = require("vscode");
const settings = require("./settings");
const text = require("./text");

/**
 * What a person has chosen.
 * @typedef {{feature: string, id?: string, tone?: string, style?: string, kind?: string, count?: number,
 *   topic?: string, instructions?: string, voice?: string, placement?: string, now?: boolean}} Spec
 */

const FORMATS = { markdown: "markdown", org: "org", latex: "latex", tex: "latex" };
const STYLES = ["sentences", "bullets", "headline"];

function capitalized(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** @param {Spec} spec */
function title(client, spec) {
  const feature = client.feature(spec.id || spec.feature);
  const name = feature ? feature.title : capitalized(spec.id || spec.feature);
  const more = spec.tone || spec.style || spec.kind;
  return more ? `${name}: ${more}` : name;
}

/** Where the answer goes. @param {Spec} spec */
function placement(client, spec, resource) {
  const known = (word) => settings.PLACEMENTS.includes(word);
  if (known(spec.placement)) return spec.placement;
  const configured = (settings.read(resource).placement || {})[spec.id || spec.feature];
  if (known(configured)) return configured;
  const feature = client.feature(spec.id || spec.feature);
  return (feature ? feature.output : "replace") === "replace" ? "replace" : "below";
}

function surroundings(document, span, lines) {
  const context = { languageId: document.languageId };
  if (lines > 0) {
    const first = Math.max(document.positionAt(span.start).line - lines, 0);
    const last = Math.min(document.positionAt(span.end).line + lines, document.lineCount - 1);
    const start = document.offsetAt(document.lineAt(first).range.start);
    const end = document.offsetAt(document.lineAt(last).range.end);
    context.before = text.textOf(document, { start, end: span.start });
    context.after = text.textOf(document, { start: span.end, end });
  }
  return context;
}

/** The fields that all requests share. Absent ones are the daemon's defaults. @param {Spec} spec */
function common(document, span, spec) {
  const chosen = settings.read(document.uri);
  return {
    personality: spec.voice || chosen.voice || undefined,
    instructions: spec.instructions || chosen.instructions || undefined,
    protect: chosen.protect && chosen.protect.length > 0 ? chosen.protect : undefined,
    context: surroundings(document, span, chosen.contextLines),
  };
}

/**
 * The request of a task.
 * @returns {{method: string, params: object}}
 */
function make(task, options) {
  const { document, spec, source } = task;
  const chosen = settings.read(document.uri);
  const params = common(document, task.region, spec);
  const merged = { ...chosen.options, ...options };
  if (Object.keys(merged).length > 0) params.options = merged;
  const format = FORMATS[document.languageId] || "plaintext";
  if (spec.feature === "rephrase") {
    Object.assign(params, {
      text: source, tone: spec.tone || chosen.tone || undefined, alternatives: chosen.alternatives,
    });
  } else if (spec.feature === "summarize") {
    Object.assign(params, {
      text: source, style: spec.style || chosen.style, count: spec.count || chosen.count || undefined,
    });
  } else if (spec.feature === "brainstorm") {
    delete params.protect;
    Object.assign(params, { topic: spec.topic || source, kind: spec.kind, count: spec.count, format });
  } else {
    Object.assign(params, { id: spec.id, text: spec.topic || source, format });
  }
  return { method: `assistant/${spec.feature}`, params };
}

/** What will most likely be asked about a selection. */
function expected(document, span) {
  const chosen = settings.read(document.uri);
  return {
    method: "assistant/rephrase",
    params: {
      ...common(document, span, { feature: "rephrase" }),
      text: text.textOf(document, span), tone: chosen.tone || "formal",
    },
  };
}

/** A value that is still being written, as lines to read. */
function shownValue(value, indent = "") {
  if (Array.isArray(value)) {
    return value.map((item) => (
      item !== null && typeof item === "object" ? shownValue(item, `${indent}  `) : `${indent}- ${item}`)).join("\n");
  }
  if (value === null || typeof value !== "object") return `${indent}${value}`;
  return Object.entries(value).map(([name, member]) => (
    member !== null && typeof member === "object"
      ? `${indent}${name}:\n${shownValue(member, indent)}`
      : `${indent}${name}: ${member}`)).join("\n");
}

/**
 * The texts of a result, each with what leads to it; none that is empty, for an empty answer would delete.
 * @returns {{text: string, edits?: object[], warnings: string[]}[]}
 */
function answers(result) {
  const texts = result.alternatives && result.alternatives.length > 0
    ? result.alternatives : [result.rendered === undefined ? result.text : result.rendered];
  // That a second draft was drawn is nothing that was lost.
  const warnings = (result.warnings || []).filter((warning) => warning.code !== "retried");
  return texts.map((words, index) => ({
    text: words, edits: index === 0 ? result.edits : undefined, warnings: warnings.map((warning) => warning.message),
  })).filter((answer) => answer.text && !text.isBlank(answer.text));
}

/** Shows a failure in plain words with the remedy, once for all requests that it ended. */
class Failures {
  constructor() {
    this.told = new WeakSet();
  }

  /** @param {import("./client").Failure} failure @param {() => void} [retry] */
  async show(failure, retry) {
    if (this.told.has(failure)) return;
    this.told.add(failure);
    const data = failure.data || {};
    const remedy = data.remedy && !failure.message.includes(data.remedy) ? ` ${data.remedy}` : "";
    const ended = data.kind === "processEnded"
      ? ". Is Inkling installed, and the setting “inkling.command” right?" : "";
    const actions = [];
    if (retry && data.retryable) actions.push("Try Again");
    if (["processEnded", "modelUnavailable", "engineFailed"].includes(data.kind)) actions.push("Check");
    const chosen = await vscode.window.showErrorMessage(`Inkling: ${failure.message}${ended}${remedy}`, ...actions);
    if (chosen === "Try Again") retry();
    if (chosen === "Check") vscode.commands.executeCommand("inkling.doctor");
  }
}

module.exports = { Failures, STYLES, answers, capitalized, expected, make, placement, shownValue, title };
