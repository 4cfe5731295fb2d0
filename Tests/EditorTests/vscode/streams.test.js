"use strict";
// While text comes: the document, the cursor and the windows stay, and nothing that is void is left.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const connections = require("../../../editor-configs/vscode/lib/connection");
const wire = require("../../../editor-configs/vscode/lib/wire");
const { answer, inWindow, rephrase, until } = require("./harness");

const FOREVER = { seconds: 30 };
const HALF = [{ text: "half" }, FOREVER];
inWindow("partial_results_are_cut_and_begun_anew", {
  text: "{{x}}",
  methods: rephrase([
    { text: "First 🎉 draft" }, { text: "Second", offset: 0 }, { text: " one🎉", offset: 6 },
    { text: "two", offset: 7 }, FOREVER,
  ]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilGhost("→ Second two");
  assert.equal(window.text, "x");
});

for (const [encoding, offset] of [["utf-8", 6], ["utf-32", 3]]) {
  inWindow(`offsets_of_partial_results_in_${encoding.replace("-", "")}`, {
    text: "{{x}}", script: { encoding },
    methods: rephrase([{ text: "é🎉abc" }, { text: "!", offset: offset + 1 }, FOREVER]),
  }, async (window) => {
    await window.command("rephrase");
    await window.untilGhost(encoding === "utf-8" ? "→ é🎉a!" : "→ é🎉ab!");
  });
}

inWindow("messages_in_many_pieces", {
  text: "{{x y}}", script: { chunk: 7 }, methods: rephrase(answer(`élan vital 🎉 ${"w".repeat(200)}`)),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, `élan vital 🎉 ${"w".repeat(200)}`);
});

inWindow("many_messages_in_one_piece", {
  text: "{{x}}", methods: rephrase([
    { hold: true }, ...answer("eins"),
    { notify: ["model/didChangeAvailability", { availability: { state: "available" } }] }, { hold: false },
  ]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
});

test("every_way_to_cut_two_messages", () => {
  const bytes = Buffer.concat([
    wire.encode({ id: 1, result: "é🎉" }), wire.encode({ method: "m", params: { a: "\r\n\r\n" } }),
  ]);
  for (let cut = 1; cut <= bytes.length; cut += 1) {
    const got = [];
    const reader = new wire.Reader((message) => got.push(message));
    reader.push(bytes.subarray(0, cut));
    reader.push(bytes.subarray(cut));
    assert.deepEqual([got.length, got[0].result, got[1].params.a], [2, "é🎉", "\r\n\r\n"]);
  }
  let count = 0;
  const reader = new wire.Reader(() => { count += 1; });
  for (const byte of bytes) reader.push(Buffer.from([byte]));
  assert.equal(count, 2);
  assert.throws(() => new wire.Reader(() => {}).push(Buffer.from("Hello: you\r\n\r\n")), /without a length/);
  assert.throws(() => new wire.Reader(() => {}).push(Buffer.alloc(9000, "x")), /without an end/);
});

inWindow("loading_is_shown_and_typing_works_meanwhile", {
  text: "one\n\n{{two}}", methods: rephrase([
    { work: { kind: "begin", title: "Rephrase", percentage: 0 } },
    { work: { kind: "report", message: "Loading the model", percentage: 40 } }, { until: "assistant/prewarm" },
    { work: { kind: "report", message: "Reading", percentage: 80 } }, { until: "session/list" }, ...answer("zwei"),
  ]),
  settings: {
    "inkling.prewarm.enabled": true, "inkling.prewarm.milliseconds": 0, "inkling.prewarm.onBattery": true,
  },
}, async (window) => {
  await window.command("rephrase");
  await until(() => window.status() === "$(loading~spin) Inkling: Loading the model 40 %", () => window.status());
  assert.ok((await window.lenses()).includes("$(loading~spin) Rephrase: Loading the model 40 %"));
  window.type(0, "typed ");
  assert.equal(window.text, "typed one\n\ntwo");
  // A selection that rests is what lets the daemon go on.
  window.select(window.editor, [0, 5]);
  await until(() => window.status().includes("Reading 80 %"), () => window.status());
  await window.command("sessions");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, "typed one\n\nzwei");
});

inWindow("the_cursor_and_the_windows_stay_while_text_comes", {
  text: "{{one}}\n\ntwo|", settings: { "inkling.preview": "auto" },
  methods: rephrase([...Array(60).keys()].map((row) => ({
    text: `Row ${String(row).padStart(2, "0")}\n`, offset: row * 7,
  })).concat([FOREVER])),
}, async (window, host) => {
  await window.command("rephrase");
  const cursor = window.editor.selections;
  await window.untilGhost("Row 59");
  const beside = await until(() => host.editors.find((editor) => editor.document.uri.scheme === "inkling-preview"
    && editor.document.getText().includes("Row 59")), "the preview");
  assert.equal(beside.viewColumn, 2);
  assert.equal(host.active, window.editor);
  assert.deepEqual(window.editor.selections, cursor);
  assert.equal(window.text, "one\n\ntwo");
  assert.equal(host.editors.length, 2);
});

inWindow("an_empty_answer_deletes_nothing", {
  text: "{{one}}", methods: rephrase([{ result: { text: "" } }], [{ result: { text: " \n" } }]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilMessage("the answer is empty");
  window.host.messages.length = 0;
  window.host.settings["inkling.preview"] = "off";
  await window.command("rephrase");
  await window.untilMessage("the answer is empty");
  assert.equal(window.text, "one");
  assert.equal(window.marks, 0);
});

inWindow("after_an_error_all_is_void", {
  text: "{{one}}", methods: rephrase([{ text: "half of it" }, { until: "$/cancelRequest", seconds: 0.1 }, {
    error: {
      code: 1001, message: "The model cannot be loaded.",
      data: { kind: "modelUnavailable", retryable: false, remedy: "Choose another file." },
    },
  }]),
}, async (window) => {
  await window.command("rephrase");
  const shown = await window.untilMessage("The model cannot be loaded. Choose another file.");
  assert.deepEqual(shown.items, ["Check"]);
  assert.equal(window.marks, 0);
  assert.equal(window.text, "one");
  assert.equal(window.status(), "");
  assert.equal(window.host.contexts["inkling.here"], false);
});

inWindow("the_daemon_is_killed_and_started_again", {
  text: "{{one}}", methods: rephrase([{ text: "half" }, { exit: 9 }]),
}, async (window, host) => {
  host.answer(/ended with status 9/, "Try Again");
  await window.command("rephrase");
  const shown = await window.untilMessage("ended with status 9. Is Inkling installed");
  assert.deepEqual(shown.items, ["Try Again", "Check"]);
  await window.untilSent("assistant/rephrase", 2);
  assert.equal(window.sent("initialize").length, 2);
  assert.equal(window.text, "one");
});

inWindow("an_answer_just_before_the_end_of_the_daemon", {
  text: "{{one}}", methods: rephrase([{ result: { text: "eins" } }, { exit: 0 }]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, "eins");
});

test("what_was_written_before_the_end_is_read_after_it", async () => {
  const told = [];
  const script = "(sleep 0.1; printf 'Content-Length: 8\\r\\n\\r\\n{\"id\":1}') & exit 3";
  await new Promise((resolve) => {
    connections.start(["sh", "-c", script], {
      onMessage: (message) => told.push(message), onExit: (reason) => resolve(told.push(reason)),
    });
  });
  assert.deepEqual(told, [{ id: 1 }, "sh ended with status 3"]);
});

inWindow("what_fails_together_is_told_once", {
  text: "{{a}} {{b}} {{c}}", methods: rephrase([FOREVER], [FOREVER], [{ text: "half" }, { exit: 9 }]),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilMessage("ended with status 9");
  assert.equal(host.messages.length, 1);
  assert.equal(window.marks, 0);
});

for (const [name, command, words] of [
  ["a_program_that_is_not_there", ["/nowhere/inkling", "connect"], "/nowhere/inkling could not be started (ENOENT)"],
  ["a_program_that_ends_at_once", ["sh", "-c", "echo no model >&2; exit 3"], "sh ended with status 3: no model"],
  ["a_program_that_speaks_something_else", ["sh", "-c", "printf 'Hello: you\\r\\n\\r\\n'; cat"], "could not be read"],
]) {
  inWindow(name, { text: "{{one}}", command }, async (window) => {
    await window.command("rephrase");
    await window.untilMessage(words);
    assert.equal(window.text, "one");
    assert.equal(window.marks, 0);
  });
}

inWindow("a_huge_answer_in_many_parts", {
  text: "{{x}}\n", methods: rephrase([
    ...[...Array(2000).keys()].map((index) => ({ text: "Some words, and more of them.\n", offset: index * 30 })),
    { result: { text: "Some words, and more of them.\n".repeat(2000) } },
  ]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, `${"Some words, and more of them.\n".repeat(2000)}\n`);
  window.document.undo();
  assert.equal(window.text, "x\n");
});

inWindow("a_huge_selection_of_one_line", {
  text: `{{${"word ".repeat(40_000)}}}`,
  methods: rephrase(answer(`${"word ".repeat(20_000)}x ${"word ".repeat(20_000)}`)),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text.length, 200_002);
});

const TEN = [...Array(10).keys()];

inWindow("ten_requests_at_once", {
  text: TEN.map((index) => `line ${index}`).join("\n\n"),
  methods: rephrase(...TEN.map((index) => [{ until: "session/list" }, { result: { text: `LINE ${index}` } }])),
}, async (window) => {
  for (let index = 0; index < 10; index += 1) {
    window.select(window.editor, [index * 8, index * 8]);
    await window.command("rephrase");
    await window.untilSent("assistant/rephrase", index + 1);
  }
  assert.equal(window.status(), "$(loading~spin) Inkling: waiting (10)");
  window.select(window.editor, [24, 24]);
  await window.command("stop");
  assert.equal((await window.untilSent("$/cancelRequest")).length, 1);
  await window.command("sessions");
  await window.untilDone(9);
  for (let index = 9; index >= 0; index -= 1) {
    if (index === 3) continue;
    window.select(window.editor, [index * 8, index * 8]);
    await window.command("accept");
  }
  assert.equal(window.text, TEN.map((index) => `${index === 3 ? "line" : "LINE"} ${index}`).join("\n\n"));
  window.document.undo();
  assert.equal(window.text.match(/LINE/g).length, 8, "one undo, one answer");
});

inWindow("more_than_the_daemon_takes_are_sent_one_after_another", {
  text: "{{a}} ".repeat(70), methods: rephrase([{ until: "session/list" }, { result: { text: "A" } }]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilSent("assistant/rephrase", 32);
  await window.command("sessions");
  await window.untilDone(70);
  const methods = window.log().map((entry) => entry.in && entry.in.method);
  const before = methods.slice(0, methods.indexOf("session/list")).filter((name) => name === "assistant/rephrase");
  assert.deepEqual([before.length, window.sent("assistant/rephrase").length], [32, 70]);
  await window.command("accept");
  assert.equal(window.text, "A ".repeat(70));
});

inWindow("a_cancelled_request_inserts_nothing_later", {
  text: "{{a}}", settings: { "inkling.preview": "off" }, methods: {
    ...rephrase([{ text: "NE" }, { until: "$/cancelRequest", heedless: true }, { result: { text: "NEW" } }]),
    "session/list": [[{ result: { sessions: [] } }]],
  },
}, async (window) => {
  await window.command("rephrase");
  await window.untilSent("assistant/rephrase");
  await window.command("stop");
  await until(() => window.log().some(({ out }) => out && out.result && out.result.text === "NEW"), "the late answer");
  // What the daemon sends after this was sent after its late answer.
  await window.command("sessions");
  await window.untilMessage("no chat was kept");
  assert.equal(window.text, "a");
});

inWindow("stop_all_and_stop_without_anything", {
  text: "{{a}} {{b}}", methods: rephrase(HALF),
}, async (window) => {
  await window.command("stop");
  await window.untilMessage("nothing is at work");
  await window.command("rephrase");
  await window.untilSent("assistant/rephrase", 2);
  assert.equal(window.host.contexts["inkling.busy"], true);
  await window.command("stopAll");
  await window.untilSent("$/cancelRequest", 2);
  assert.equal(window.marks, 0);
  assert.equal(window.host.contexts["inkling.busy"], false);
});

inWindow("closing_a_document_cancels_its_requests", {
  text: "{{a}}", methods: rephrase(HALF),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilGhost("half");
  host.close(window.document);
  assert.equal((await window.untilSent("$/cancelRequest")).length, 1);
  assert.equal(host.contexts["inkling.answers"], false);
});

inWindow("leaving_leaves_nothing_behind", {
  text: "{{a}}", settings: { "inkling.preview": "beside" }, methods: rephrase(HALF),
  wrapper: (command, log) => ["sh", "-c", `echo $$ > ${log}.pid; exec "$@"`, "sh", ...command],
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilGhost("half");
  await until(() => host.editors.length === 2, "the preview");
  const pid = Number(require("node:fs").readFileSync(`${window.logPath}.pid`, "utf8"));
  await window.deactivate();
  assert.equal(window.sent("exit").length, 1);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
  assert.equal(host.editors.length, 1);
  assert.deepEqual([host.decorationTypes, host.statusItems, host.commands].map((left) => left.size), [0, 0, 0]);
  assert.equal(Object.values(host.events).reduce((sum, emitter) => sum + emitter.listeners.size, 0), 0);
});

inWindow("the_availability_of_the_model_is_shown", {
  text: "{{a}}", methods: rephrase([
    { notify: ["model/didChangeAvailability", { availability: { state: "loading", progress: 0.25 } }] },
    { until: "session/list" },
    { notify: ["model/didChangeAvailability", {
      availability: {
        state: "unavailable", reason: "modelNotFound", message: "There is no model.", remedy: "Pull one.",
      },
    }] }, { error: { code: 1001, message: "There is no model.", data: { kind: "modelUnavailable" } } },
  ]),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilSent("assistant/rephrase");
  await window.command("sessions");
  await until(() => window.status() === "$(warning) Inkling", () => window.status());
  assert.equal([...host.statusItems][0].tooltip, "There is no model. Pull one.");
});

const TOOL_CALL = {
  id: "t", method: "tool/call", params: { callId: "c", name: "lookup", arguments: {}, confirm: false },
};

inWindow("a_tool_of_the_daemon_is_declined", {
  text: "{{a}}", methods: rephrase([{ raw: wire.encode(TOOL_CALL).toString("utf8") }, ...answer("A")]),
}, async (window) => {
  await window.command("rephrase");
  const received = () => window.log().map((entry) => entry.in).filter(Boolean);
  const reply = await until(() => received().find((message) => message.id === "t"), "a reply");
  assert.equal(reply.error.code, -32601);
});
