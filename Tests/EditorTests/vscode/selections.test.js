"use strict";
// What is sent and what is put back, exact to the character, with one undo that restores the bytes and the cursor.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Host } = require("./standin/host");
const { MANIFEST, answer, inWindow, load, rephrase } = require("./harness");

/** Rephrases what is marked, accepts, and takes it back: what was sent, and what stands there then. */
function exactly(name, marked, source, target, expected, more = {}) {
  inWindow(name, { text: marked, methods: rephrase(answer(target, more.answer)), ...more.options }, async (window) => {
    const before = window.text;
    const cursors = window.editor.selections;
    await window.command("rephrase");
    await window.untilDone();
    assert.equal(window.sent("assistant/rephrase")[0].params.text, source);
    assert.equal(window.text, before, "untouched until accepted");
    await window.command("accept");
    assert.equal(window.text, expected);
    assert.equal(window.marks, 0);
    window.document.undo();
    assert.equal(window.text, before);
    assert.deepEqual(window.editor.selections, cursors);
  });
}

exactly("a_part_of_a_line", "one {{two}} three\n", "two", "zwei", "one zwei three\n");
exactly("over_several_lines", "one {{two\nthree}} four", "two\nthree", "zwei\ndrei", "one zwei\ndrei four");
exactly("the_whole_document", "{{one\n\ntwo\n}}", "one\n\ntwo\n", "eins\n\nzwei\n", "eins\n\nzwei\n");
exactly("the_beginning_of_a_document", "{{one}} two", "one", "eins", "eins two");
exactly("the_end_without_a_line_end", "one\n{{two}}", "two", "zwei", "one\nzwei");
exactly("the_paragraph_at_the_cursor", "a\n\nb|\nc\n\nd", "b\nc", "B\nC", "a\n\nB\nC\n\nd");
exactly("crlf_stays_crlf", "x\r\n{{one\r\ntwo}}\r\ny", "one\r\ntwo", "eins\r\nzwei", "x\r\neins\r\nzwei\r\ny");
exactly("an_answer_with_bare_line_ends_in_a_crlf_document", "x\r\n{{one\r\ntwo}}", "one\r\ntwo", "eins\nzwei",
  "x\r\neins\r\nzwei");
exactly("emoji_before_and_in_a_selection", "🎉 {{a 👩‍👩‍👧 b}} 🎉", "a 👩‍👩‍👧 b", "A 👩‍👩‍👧 B", "🎉 A 👩‍👩‍👧 B 🎉");
exactly("combining_marks", "e\u0301 {{cafe\u0301 noir}} x", "cafe\u0301 noir", "cafe\u0301 blanc",
  "e\u0301 cafe\u0301 blanc x");
exactly("tabs_stay_tabs", "\t{{\tone\ttwo}}\n", "\tone\ttwo", "\teins\tzwei", "\t\teins\tzwei\n");
exactly("latex_backslashes", "{{\\textbf{a} \\\\ b}}", "\\textbf{a} \\\\ b", "\\textbf{A} \\\\ B",
  "\\textbf{A} \\\\ B");
exactly("blank_edges_stay", "a{{\n\n  one  \n\n}}b", "\n\n  one  \n\n", "\n\n  eins  \n\n", "a\n\n  eins  \n\nb");
exactly("a_dollar_is_a_dollar", "{{price}}", "price", "$1 $& $$", "$1 $& $$");
exactly("an_answer_with_two_fences", "{{x}}", "x", "```\na\n```\nand\n```\nb\n```", "```\na\n```\nand\n```\nb\n```");
exactly("the_edits_of_the_daemon_are_made", "{{one two}}", "one two", "one zwei", "one zwei", {
  answer: { edits: [{ start: 4, end: 7, newText: "zwei" }] },
});
exactly("edits_that_do_not_lead_to_the_text_are_not_made", "{{one two}}", "one two", "one zwei", "one zwei", {
  answer: { edits: [{ start: 0, end: 3, newText: "zwei" }] },
});
exactly("edits_within_a_crlf_are_not_made", "{{one\r\ntwo}}", "one\r\ntwo", "one!\r\ntwo", "one!\r\ntwo", {
  answer: { edits: [{ start: 3, end: 4, newText: "!\r" }] },
});
for (const [encoding, start, end] of [["utf-8", 5, 8], ["utf-16", 3, 6], ["utf-32", 2, 5]]) {
  exactly(`edits_in_${encoding.replace("-", "")}`, "x {{🎉 two}}", "🎉 two", "🎉 zwei", "x 🎉 zwei", {
    answer: { edits: [{ start, end, newText: "zwei" }] }, options: { script: { encoding } },
  });
}

test("own_edits_lead_to_the_text_and_are_never_within_a_line_end_or_a_character", () => {
  const { applied, between } = load(new Host(MANIFEST), "lib/edits.js");
  const parts = ["a", "b", " ", "\r\n", "\n", "\r", "🎉", "e\u0301", "  "];
  let seed = 1;
  const random = (limit) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor(seed / 65536) % limit;
  };
  const words = () => Array.from({ length: random(12) }, () => parts[random(parts.length)]).join("");
  for (let round = 0; round < 5000; round += 1) {
    const [source, target] = [words(), words()];
    const made = between(source, target);
    assert.equal(applied(source, made), target);
    for (const edge of made.flatMap(({ start, end }) => [start, end])) {
      const around = source.slice(Math.max(edge - 1, 0), edge + 1);
      const isWithin = /^(\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(around);
      assert.ok(edge === 0 || !isWithin, JSON.stringify([source, target]));
    }
  }
});

inWindow("only_what_differs_is_touched", {
  text: "{{one two three}}", methods: rephrase(answer("one zwei three")),
}, async (window, host) => {
  const changes = [];
  await window.command("rephrase");
  await window.untilDone();
  host.events.changeDocument.event((event) => changes.push(...event.contentChanges));
  await window.command("accept");
  const made = changes.map(({ rangeOffset, rangeLength, text }) => [rangeOffset, rangeLength, text]);
  assert.deepEqual(made, [[4, 3, "zwei"]]);
});

inWindow("several_selections_are_one_batch_and_one_undo", {
  text: "{{one}} 🎉 {{two}}\n{{three}}\n",
  methods: rephrase(answer("eins"), answer("zwei"), answer("drei")),
}, async (window, host) => {
  const before = window.text;
  let events = 0;
  await window.command("rephrase");
  await window.untilDone(3);
  host.events.changeDocument.event(() => { events += 1; });
  const sources = window.sent("assistant/rephrase").map(({ params }) => params.text);
  assert.deepEqual(sources, ["one", "two", "three"]);
  assert.ok((await window.lenses()).includes("$(check) Accept all 3"));
  await window.command("accept");
  const words = window.text.split(/[^a-z]+/).slice(0, 3).sort();
  assert.deepEqual(words, ["drei", "eins", "zwei"]);
  assert.equal(events, 1);
  window.document.undo();
  assert.equal(window.text, before);
});

inWindow("a_column_selection_is_a_selection_for_each_line", {
  text: "a {{one}} x\nb {{two}} x\n", methods: rephrase(answer("UP")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone(2);
  await window.command("accept");
  assert.equal(window.text, "a UP x\nb UP x\n");
});

inWindow("one_of_several_is_rejected_by_its_action", {
  text: "{{one}}\n{{two}}\n", methods: rephrase(answer("UP")),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilDone(2);
  const rejects = (await host.lenses(window.document)).filter((lens) => lens.command.command === "inkling.reject");
  await host.execute("inkling.reject", ...rejects[0].command.arguments);
  await window.command("accept");
  assert.equal(window.text, "one\nUP\n");
});

inWindow("two_cursors_in_one_paragraph_mean_it_once", {
  text: "{{}}one\ntwo{{}}\n\nthree", methods: rephrase(answer("UP")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  assert.deepEqual(window.sent("assistant/rephrase").map(({ params }) => params.text), ["one\ntwo"]);
});

for (const [name, text] of [["a_blank_line", "one\n|\ntwo"], ["blanks", "a{{  \n }}b"], ["an_empty_document", "|"]]) {
  inWindow(`${name}_is_no_text`, { text, methods: rephrase(answer("UP")) }, async (window) => {
    await window.command("rephrase");
    await window.untilMessage("there is no text here");
    assert.equal(window.sent("assistant/rephrase").length, 0);
  });
}
