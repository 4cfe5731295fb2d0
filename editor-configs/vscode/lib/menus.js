"use strict";
// Menus of what the daemon offers, with the commands, tones and voices of the configuration among it.
const vscode = require("vscode");
const request = require("./request");

/** @typedef {import("./request").Spec} Spec */

function tones(client) {
  return client.offers.tones.map((tone) => ({
    label: tone.title, description: tone.description, spec: { feature: "rephrase", tone: tone.id },
  }));
}

function styles() {
  return request.STYLES.map((style) => ({
    label: request.capitalized(style), spec: { feature: "summarize", style },
  }));
}

function kinds(client) {
  return client.offers.kinds.map((kind) => ({
    label: kind.title, description: kind.description, spec: { feature: "brainstorm", kind: kind.id },
  }));
}

/** The commands of the configuration: the features that are no methods. */
function commands(client) {
  return client.offers.features
    .filter((feature) => !client.offers.methods.includes(`assistant/${feature.id}`))
    .map((feature) => ({
      label: feature.title, description: feature.description, spec: { feature: "command", id: feature.id },
    }));
}

async function pick(title, items) {
  const chosen = await vscode.window.showQuickPick(items, { title: `Inkling: ${title}`, matchOnDescription: true });
  return chosen && chosen.spec;
}

/** All that can be done with a text. @returns {Promise<Spec | undefined>} */
function everything(client) {
  const section = (name, items) => [
    { label: name, kind: vscode.QuickPickItemKind.Separator },
    ...items.map((item) => ({ ...item, label: `${name}: ${item.label}` })),
  ];
  const own = commands(client);
  return pick("what to do with the text", [
    ...section("Rephrase", tones(client)), ...section("Summarize", styles()), ...section("Brainstorm", kinds(client)),
    ...own.length > 0 ? [{ label: "Yours", kind: vscode.QuickPickItemKind.Separator }, ...own] : [],
  ]);
}

/** What a request without a text of its own is about. @returns {Promise<string | undefined>} */
async function topic(client, spec) {
  const feature = client.feature(spec.id || spec.feature);
  const [example] = feature ? feature.suggestions : [];
  const words = await vscode.window.showInputBox({
    title: `Inkling: ${request.title(client, spec)}`, prompt: "The topic",
    placeHolder: example ? `For example: ${example}` : undefined,
  });
  return words && words.trim() ? words : undefined;
}

/** @returns {Promise<string | undefined>} the id of a voice */
async function voice(client) {
  const items = client.offers.personalities.map((choice) => ({
    label: choice.title, description: choice.description, id: choice.id,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Inkling: the voice from now on" });
  return chosen && chosen.id;
}

module.exports = { commands, everything, kinds, pick, styles, tones, topic, voice };
