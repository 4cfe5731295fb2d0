"use strict";
// The settings, as package.json declares and describes them. No other file reads them.
const vscode = require("vscode");

const PLACEMENTS = ["replace", "below", "above", "document", "notification", "clipboard"];

/** @param {import("vscode").Uri} [resource] */
function read(resource) {
  const given = vscode.workspace.getConfiguration("inkling", resource);
  return {
    preview: given.get("preview"),
    placement: given.get("placement"),
    tone: given.get("tone"),
    voice: given.get("voice"),
    instructions: given.get("instructions"),
    style: given.get("style"),
    count: given.get("count"),
    alternatives: given.get("alternatives"),
    options: given.get("options"),
    protect: given.get("protect"),
    contextLines: given.get("contextLines"),
  };
}

function chat() {
  const given = vscode.workspace.getConfiguration("inkling.chat");
  return { instructions: given.get("instructions"), persist: given.get("persist") };
}

function prewarm() {
  const given = vscode.workspace.getConfiguration("inkling.prewarm");
  return {
    enabled: given.get("enabled"),
    onBattery: given.get("onBattery"),
    milliseconds: given.get("milliseconds"),
    characters: given.get("characters"),
    deny: given.get("deny"),
  };
}

/** The program and its arguments. A workspace cannot set it: its scope is the machine. @returns {string[]} */
function command() {
  return vscode.workspace.getConfiguration("inkling").get("command");
}

/** Problems with settings, in words. @returns {string[]} */
function problems() {
  const found = [];
  const given = command();
  if (!Array.isArray(given) || given.length === 0 || !given.every((word) => typeof word === "string" && word)) {
    found.push("inkling.command must be a list of words: the program and its arguments.");
  }
  for (const [feature, word] of Object.entries(read().placement || {})) {
    if (!PLACEMENTS.includes(word)) {
      found.push(`inkling.placement: there is no placement “${word}” (for ${feature}): ${PLACEMENTS.join(", ")}.`);
    }
  }
  return found;
}

/** Keeps a choice for all windows. */
function setVoice(voice) {
  return vscode.workspace.getConfiguration("inkling").update("voice", voice, vscode.ConfigurationTarget.Global);
}

module.exports = { PLACEMENTS, chat, command, prewarm, problems, read, setVoice };
