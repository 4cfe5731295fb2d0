"use strict";
// Reading ahead of a selection that rests.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { Host } = require("./standin/host");
const { MANIFEST, answer, inWindow, load, rephrase } = require("./harness");

const AHEAD = { "inkling.prewarm.enabled": true, "inkling.prewarm.milliseconds": 0, "inkling.prewarm.onBattery": true };

/** A window whose daemon runs. */
function ahead(name, options, body) {
  const methods = { ...rephrase(answer("A")), "session/list": [[{ result: { sessions: [] } }]] };
  inWindow(name, { text: "one two|", methods, ...options, settings: { ...AHEAD, ...options.settings } },
    async (window, host) => {
      await window.command("sessions");
      await body(window, host);
    });
}

/** What was sent before a request that comes when a selection has rested. */
async function readAhead(window) {
  // Timers of the same length fire in their order: that of the selection has fired then.
  await new Promise((done) => setTimeout(done, 0));
  const count = window.sent("session/list").length;
  await window.command("sessions");
  await window.untilSent("session/list", count + 1);
  return window.sent("assistant/prewarm").map(({ params }) => params);
}

ahead("a_selection_that_rests_is_read", {}, async (window) => {
  window.select(window.editor, [0, 3]);
  const [sent] = await window.untilSent("assistant/prewarm");
  assert.equal(sent.id, undefined);
  assert.deepEqual(sent.params, {
    method: "assistant/rephrase", params: { text: "one", tone: "formal", context: { languageId: "markdown" } },
  });
  // The request that follows is what it was read for.
  await window.command("rephrase");
  await window.untilDone();
  assert.equal(window.sent("assistant/prewarm").length, 1);
});

ahead("a_selection_that_ends_is_not_read_on", {}, async (window) => {
  window.select(window.editor, [0, 3]);
  await window.untilSent("assistant/prewarm");
  window.select(window.editor, [5, 5]);
  const sent = await window.untilSent("assistant/prewarm", 2);
  assert.deepEqual(sent[1].params, {});
});

ahead("a_selection_that_moves_is_read_where_it_rests", {
  settings: { "inkling.prewarm.milliseconds": 20 },
}, async (window) => {
  for (const end of [1, 2, 3, 4, 5, 6, 7]) window.select(window.editor, [0, end]);
  await window.untilSent("assistant/prewarm");
  assert.deepEqual((await readAhead(window)).map(({ params }) => params.text), ["one two"]);
});

for (const [name, options] of [
  ["when_it_is_off", { settings: { "inkling.prewarm.enabled": false } }],
  ["beyond_the_size", { settings: { "inkling.prewarm.characters": 2 } }],
  ["of_an_environment_file", { name: ".env.local" }],
  ["of_a_key", { name: "server.PEM" }],
  ["of_a_folder_of_secrets", { name: "home/.ssh/config" }],
  ["of_blanks", { text: "      |" }],
]) {
  ahead(`nothing_is_read_ahead_${name}`, options, async (window) => {
    window.select(window.editor, [0, 3]);
    assert.deepEqual(await readAhead(window), []);
  });
}

inWindow("nothing_is_started_to_read_ahead", { text: "one|", settings: AHEAD }, async (window) => {
  window.select(window.editor, [0, 3]);
  await new Promise((done) => setTimeout(done, 0));
  await window.command("status");
  assert.equal(window.sent("assistant/prewarm").length, 0);
});

test("names_that_are_denied", () => {
  const { isDenied } = load(new Host(MANIFEST), "lib/prewarm.js");
  const deny = MANIFEST.contributes.configuration.properties["inkling.prewarm.deny"].default;
  for (const name of [
    "/a/.env", "/a/.env.local", "/a/x.pem", "/a/ID_rsa", "/a/id_ed25519.pub", "/a/x.gpg", "/a/credentials.json",
    "/a/my-secrets.yml", "/h/.ssh/config", "/h/.aws/config", "c:\\a\\x.key",
  ]) assert.equal(isDenied(name, deny), true, name);
  for (const name of ["/a/environment.md", "/a/keys.md", "/a/pem.txt", "/ssh/config", "/a/idea.md"]) {
    assert.equal(isDenied(name, deny), false, name);
  }
});

test("the_battery_of_linux", async () => {
  const { isOnBattery } = load(new Host(MANIFEST), "lib/power.js");
  for (const [expected, supplies] of [
    [false, {}],
    [true, { BAT0: { type: "Battery", status: "Discharging" } }],
    [true, { AC: { type: "Mains", online: "0" }, BAT0: { type: "Battery", status: "Discharging" } }],
    [false, { AC: { type: "Mains", online: "1" }, BAT0: { type: "Battery", status: "Discharging" } }],
    [false, { BAT0: { type: "Battery", status: "Charging" } }],
    [false, { mouse: { type: "Battery", scope: "Device", status: "Discharging" } }],
  ]) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inkling-power-"));
    for (const [name, files] of Object.entries(supplies)) {
      fs.mkdirSync(path.join(folder, name));
      for (const [file, words] of Object.entries(files)) fs.writeFileSync(path.join(folder, name, file), `${words}\n`);
    }
    assert.equal(await isOnBattery("linux", folder), expected, JSON.stringify(supplies));
    fs.rmSync(folder, { recursive: true });
  }
});

test("the_battery_of_a_mac", async () => {
  const { isOnBattery } = load(new Host(MANIFEST), "lib/power.js");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inkling-power-"));
  const program = path.join(folder, "pmset");
  for (const [source, expected] of [["Battery Power", true], ["AC Power", false]]) {
    const words = `Now drawing from '${source}'`;
    fs.writeFileSync(program, `#!/bin/sh\n[ "$*" = "-g batt" ] && echo "${words}"\n`, { mode: 0o755 });
    assert.equal(await isOnBattery("darwin", program), expected);
  }
  assert.equal(await isOnBattery("darwin", path.join(folder, "none")), false);
  assert.equal(await isOnBattery("win32"), false);
  fs.rmSync(folder, { recursive: true });
});

test("on_battery_nothing_is_read_ahead", async () => {
  const host = new Host(MANIFEST, { "inkling.prewarm.milliseconds": 0 });
  const { Prewarm } = load(host, "lib/prewarm.js");
  const sent = [];
  let answerBattery;
  const client = { isRunning: true, notify: (...given) => sent.push(given) };
  const prewarm = new Prewarm(client, () => new Promise((resolve) => { answerBattery = resolve; }));
  const { Uri, Selection } = host.api;
  const editor = await host.showTextDocument(host.open(Uri.file("/a.md"), "markdown", "one two"));
  for (const [isOnBattery, count] of [[true, 0], [false, 1]]) {
    answerBattery = null;
    editor.selections = [new Selection(0, 0, 0, isOnBattery ? 3 : 4)];
    while (!answerBattery) await new Promise((done) => setTimeout(done, 2));
    answerBattery(isOnBattery);
    await new Promise(setImmediate);
    assert.equal(sent.length, count);
  }
  // A selection that ends while the battery is asked for.
  editor.selections = [new Selection(0, 0, 0, 5)];
  answerBattery = null;
  while (!answerBattery) await new Promise((done) => setTimeout(done, 2));
  sent.length = 0;
  editor.selections = [new Selection(0, 0, 0, 0)];
  answerBattery(false);
  await new Promise(setImmediate);
  assert.deepEqual(sent, []);
  prewarm.dispose();
});
