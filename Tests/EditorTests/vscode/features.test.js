"use strict";
// Every feature, tone, kind and command of the configuration; voices, models, status, and the health check.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { answer, inWindow, rephrase, until } = require("./harness");

const CHARACTER = { name: "Ada", species: "owl" };
const METHODS = {
  ...rephrase(answer("R")),
  "assistant/summarize": [answer("S")],
  "assistant/brainstorm": [[{ snapshot: { name: "A" } }, { result: { value: CHARACTER, rendered: "**Ada**" } }]],
  "assistant/command": [answer("C")],
};

/** Chooses the item with a label. */
const choose = (label) => (items) => {
  const item = items.find((candidate) => (candidate.label || candidate) === label);
  assert.ok(item, `${label} in ${items.map((candidate) => candidate.label || candidate)}`);
  return item;
};

inWindow("the_menu_holds_all_that_the_daemon_offers", { text: "{{one}}", methods: METHODS }, async (window, host) => {
  host.picks.push(() => undefined);
  await window.command("menu");
  const labels = host.asked[0].items.filter((item) => item.kind !== -1).map((item) => item.label);
  for (const label of ["Rephrase: Formal", "Rephrase: Plain", "Summarize: Bullets", "Brainstorm: Tags"]) {
    assert.ok(labels.includes(label), label);
  }
  assert.equal(labels[labels.length - 1], "Commit message");
  assert.equal(labels.length, 8 + 3 + 5 + 1);
  assert.equal(window.sent("assistant/rephrase").length, 0);
});

for (const [name, label, method, params] of [
  ["a_tone", "Rephrase: Shorter", "assistant/rephrase", { text: "one", tone: "shorter" }],
  ["a_style", "Summarize: Headline", "assistant/summarize", { text: "one", style: "headline" }],
  ["a_kind", "Brainstorm: Tags", "assistant/brainstorm", { topic: "one", kind: "tags", format: "markdown" }],
  ["a_command", "Commit message", "assistant/command", { text: "one", id: "commit", format: "markdown" }],
]) {
  inWindow(`${name}_of_the_menu`, { text: "{{one}}", methods: METHODS }, async (window, host) => {
    host.picks.push(choose(label));
    await window.command("menu");
    await window.untilDone();
    const sent = window.sent(method)[0].params;
    for (const [key, value] of Object.entries(params)) assert.equal(sent[key], value, key);
    assert.equal(sent.context.languageId, "markdown");
  });
}

for (const [name, command, given, method, key, value] of [
  ["rephrase_in_a_tone", "rephraseAs", { tone: "plain" }, "assistant/rephrase", "tone", "plain"],
  ["summarize_in_a_style", "summarizeAs", { style: "bullets", count: 4 }, "assistant/summarize", "count", 4],
  ["brainstorm_about_a_topic", "brainstorm", { kind: "tags", topic: "fish" }, "assistant/brainstorm", "topic", "fish"],
  ["run_a_command", "run", { id: "commit" }, "assistant/command", "id", "commit"],
]) {
  inWindow(`a_key_binding_can_${name}`, { text: "{{one}}", methods: METHODS }, async (window, host) => {
    await window.command(command, given);
    await window.untilDone();
    assert.equal(window.sent(method)[0].params[key], value);
    assert.equal(host.asked.length, 0);
  });
}

inWindow("a_topic_is_asked_for_and_the_answer_is_put_below", {
  text: "one|\n\ntwo", methods: METHODS,
}, async (window, host) => {
  host.picks.push(choose("Character"));
  host.inputs.push("an owl");
  await window.command("brainstorm");
  await window.untilDone();
  assert.equal(host.asked[1].options.placeHolder, "For example: A dragon who is afraid of fire");
  assert.equal(window.sent("assistant/brainstorm")[0].params.topic, "an owl");
  await window.command("accept");
  assert.equal(window.text, "one\n\n**Ada**\n\ntwo");
});

inWindow("a_value_is_shown_while_it_is_written", {
  text: "{{one}}", methods: { "assistant/brainstorm": [[{ snapshot: { concepts: ["a", "b"] } }, { seconds: 30 }]] },
}, async (window) => {
  await window.command("brainstorm", { kind: "ideas" });
  await window.untilGhost("concepts: ⏎ - a ⏎ - b");
});

inWindow("the_settings_are_sent", {
  text: "before\n{{one}}\nafter", methods: METHODS, settings: {
    "inkling.tone": "plain", "inkling.voice": "dory", "inkling.instructions": "Be kind.", "inkling.protect": ["one"],
    "inkling.alternatives": 3, "inkling.options": { temperature: 0.3 }, "inkling.contextLines": 1,
  },
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  const { partialResultToken, workDoneToken, ...params } = window.sent("assistant/rephrase")[0].params;
  assert.ok(partialResultToken && workDoneToken);
  assert.deepEqual(params, {
    personality: "dory", instructions: "Be kind.", protect: ["one"], options: { temperature: 0.3 }, text: "one",
    tone: "plain", alternatives: 3, context: { languageId: "markdown", before: "before\n", after: "\nafter" },
  });
});

inWindow("what_is_not_set_is_not_sent", { text: "{{one}}", methods: METHODS }, async (window) => {
  await window.command("summarize");
  await window.untilDone();
  const sent = Object.keys(window.sent("assistant/summarize")[0].params).sort();
  assert.deepEqual(sent, ["context", "partialResultToken", "style", "text", "workDoneToken"]);
  const { capabilities, processId, clientInfo } = window.sent("initialize")[0].params;
  assert.equal(capabilities.general.positionEncodings[0], "utf-16");
  assert.deepEqual([processId, clientInfo.name], [process.pid, "VS Code"]);
});

const GERMAN = {
  id: "de", title: "To German", description: "", input: "selection", output: "replace", suggestions: [],
};

inWindow("a_configuration_that_changes_is_in_the_next_menu", {
  text: "{{one}}", methods: rephrase([{
    notify: ["assistant/didChangeConfiguration", {
      features: [GERMAN],
      tones: [{ id: "pirate", title: "Pirate", description: "Arr." }], personalities: [],
    }],
  }, ...answer("R")]),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilDone();
  host.picks.push(() => undefined, () => undefined);
  await window.command("rephraseAs");
  await window.command("run");
  assert.deepEqual(host.asked.map(({ items }) => items.map((item) => item.label)), [["Pirate"], ["To German"]]);
});

inWindow("a_command_that_replaces_does_so", {
  text: "{{one}}", methods: { "assistant/command": [answer("eins")] },
  script: { capabilities: { features: [GERMAN] } },
}, async (window, host) => {
  host.picks.push(choose("To German"));
  await window.command("run");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, "eins");
});

inWindow("the_voice_is_kept_in_the_settings", { text: "one|", methods: METHODS }, async (window, host) => {
  host.picks.push(choose("Woody"));
  await window.command("voice");
  assert.equal(host.settings["inkling.voice"], "woody");
  await window.command("rephrase");
  await window.untilDone();
  assert.equal(window.sent("assistant/rephrase")[0].params.personality, "woody");
});

inWindow("the_rate_is_in_the_status_bar_after_an_answer", { text: "one|", methods: METHODS }, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  // 5 tokens in 60 ms, as the scripted daemon's usage says.
  assert.equal(window.status(), "Inkling: 83 tokens/s");
});

const STATUS = {
  version: "0.1.0", processId: 4711, uptimeSeconds: 180, clients: [{}],
  memory: { daemonBytes: 19e6, engineBytes: 346e6 },
  totals: { requests: 40, failedRequests: 1 }, rates: { requestsPerMinute: 1, completionTokensPerSecond: 71.5 },
  model: { availability: { state: "available" }, model: { name: "Smol" }, activeRequests: 0 },
};

inWindow("the_status_is_told", {
  text: "one|", methods: { "daemon/status": [[{ result: STATUS }]] },
}, async (window, host) => {
  await window.command("status");
  const [{ message, modal, detail }] = host.messages;
  assert.deepEqual([message, modal], ["Inkling 0.1.0", true]);
  for (const words of ["process 4711", "up 3 min", "Smol, available", "engine 346 MB", "failed: 1", "72 tokens/s"]) {
    assert.ok(detail.includes(words), words);
  }
});

/** A program that answers the command line as Inkling does, and else is the scripted daemon. */
function program(log, models) {
  const file = `${log}.program`;
  fs.writeFileSync(file, [
    "#!/bin/sh", `echo "$@" >> ${log}.calls`, 'case "$1" in', '--version) echo "inkling 0.1.0" ;;',
    `models) [ "$2" = use ] || echo '${JSON.stringify({ models })}' ;;`, "stop) ;;", '*) exec "$@" ;;', "esac",
  ].join("\n"), { mode: 0o755 });
  return file;
}
const MODEL = {
  name: "Big", path: "/m/big.gguf", inUse: false, sizeBytes: 2.5e9, memoryBytes: 4e9, fits: "yes",
  license: "apache-2.0", quantization: "Q4_K_M",
};
const calls = (window) => fs.readFileSync(`${window.logPath}.calls`, "utf8").trim().split("\n");

inWindow("the_model_is_chosen_and_the_daemon_stopped", {
  text: "one|", wrapper: (command, log) => [program(log, [MODEL]), ...command],
}, async (window, host) => {
  host.picks.push(choose("Big"));
  host.answer(/from the next start of the daemon on/, "Stop It Now");
  await window.command("model");
  assert.deepEqual(calls(window), ["models list --json", "models use /m/big.gguf", "stop"]);
  assert.ok(host.asked[0].items[0].detail.includes("memory: 4.0 GB, fits: yes"));
});

inWindow("no_model_at_all", {
  text: "one|", wrapper: (command, log) => [program(log, []), ...command],
}, async (window) => {
  await window.command("model");
  await window.untilMessage("“inkling models pull” fetches one");
});

inWindow("the_doctor_finds_all_well", {
  text: "one|", wrapper: (command, log) => [program(log, []), ...command],
  methods: { "model/status": [[{ result: { availability: { state: "available" }, model: { name: "Smol" } } }]] },
}, async (window, host) => {
  await window.command("doctor");
  const report = host.output.join("\n");
  assert.ok(report.includes("inkling 0.1.0"), report);
  assert.ok(report.includes("the model is Smol") && report.includes("positions are in utf-16"), report);
  assert.ok(report.includes("All is well."), report);
});

inWindow("the_doctor_says_what_is_wrong", {
  text: "one|", command: ["/nowhere/inkling", "connect"], settings: { "inkling.placement": { rephrase: "somewhere" } },
}, async (window, host) => {
  await window.command("doctor");
  const report = host.output.join("\n");
  assert.ok(report.includes("there is no placement “somewhere”"), report);
  assert.ok(report.includes("/nowhere/inkling is not there") && report.includes("“inkling.command”"), report);
  assert.ok(report.includes("2 of this is wrong."), report);
});

inWindow("a_model_that_is_missing_is_what_the_doctor_names", {
  text: "one|", wrapper: (command, log) => [program(log, []), ...command],
  methods: { "model/status": [[{ result: { model: null, availability: {
    state: "unavailable", reason: "modelNotFound", message: "There is no model.", remedy: "Pull one." } } }]] },
}, async (window, host) => {
  await window.command("doctor");
  assert.ok(host.output.includes("wrong  There is no model. Pull one."), host.output.join("\n"));
});

inWindow("without_a_text_nothing_begins", {}, async (window) => {
  for (const command of ["menu", "rephrase", "summarizeAs", "run"]) await window.command(command);
  assert.equal(window.host.messages.filter(({ message }) => message.includes("open a text first")).length, 4);
  for (const command of ["accept", "diff", "next"]) await window.command(command);
  assert.equal(window.host.messages.filter(({ message }) => message.includes("there is no answer here")).length, 3);
  await until(() => window.log().length === 0, "nothing sent");
});
