"use strict";
// Answers before and when they are accepted: other drafts, differences, single changes, stale texts, and where they go.
const assert = require("node:assert/strict");
const { answer, inWindow, rephrase, until } = require("./harness");

const FOREVER = { seconds: 30 };

inWindow("reject_leaves_all_as_it_was", {
  text: "{{one}}", methods: rephrase(answer("eins")),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilDone();
  assert.equal(host.contexts["inkling.here"], true);
  await window.command("reject");
  assert.equal(window.text, "one");
  assert.equal(window.marks, 0);
  assert.equal(window.document.undoSteps.length, 0);
  assert.deepEqual(await window.lenses(), []);
  assert.equal(host.contexts["inkling.here"], false);
});

inWindow("another_draft_and_back", {
  text: "{{one}}", methods: rephrase(answer("eins", { alternatives: ["eins", "1"] }), answer("ein")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  assert.ok((await window.lenses()).includes("Rephrase 1/2"));
  await window.command("next");
  await window.untilGhost("→ 1");
  await window.command("next");
  await window.untilGhost("→ ein");
  await window.untilDone();
  const { options } = window.sent("assistant/rephrase")[1].params;
  assert.ok(options.temperature > 0.5 && Number.isInteger(options.seed));
  await window.command("previous");
  await window.untilGhost("→ 1");
  await window.command("accept");
  assert.equal(window.text, "1");
});

inWindow("a_draft_that_fails_leaves_the_one_before", {
  text: "{{one}}", methods: rephrase(answer("eins"), [{ error: { code: 1009, message: "The model wrote nothing." } }]),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  await window.command("retry");
  await window.untilMessage("The model wrote nothing.");
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, "eins");
});

inWindow("instructions_are_changed_and_it_goes_again", {
  text: "{{one}}", methods: rephrase(answer("eins"), answer("uno")),
}, async (window, host) => {
  host.inputs.push("in Spanish");
  await window.command("rephrase");
  await window.untilDone();
  await window.command("instruct");
  await window.untilGhost("→ uno");
  assert.equal(window.sent("assistant/rephrase")[1].params.instructions, "in Spanish");
});

inWindow("the_difference_is_shown_in_the_whole_document", {
  text: "a\n\n{{one}}\n", methods: rephrase([{ text: "ei" }, { until: "session/list" }, ...answer("eins")]),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilGhost("ei");
  await window.command("diff");
  const { title, input, editor } = host.tabs.find((tab) => tab.title);
  assert.equal(title, "notes.md ↔ Rephrase");
  assert.equal(input.original, window.document.uri);
  assert.equal(editor.document.getText(), "a\n\nei\n");
  await window.command("sessions");
  await until(() => editor.document.getText() === "a\n\neins\n", () => editor.document.getText());
  window.type(0, "b");
  await until(() => editor.document.getText() === "ba\n\neins\n", () => editor.document.getText());
  // From the difference itself.
  await window.untilDone();
  await window.command("accept");
  assert.equal(window.text, "ba\n\neins\n");
  assert.equal(host.tabs.length, 1, "the difference is closed with its answer");
});

inWindow("single_changes_are_accepted", {
  text: "{{one two three}}", methods: rephrase(answer("eins two drei")),
}, async (window, host) => {
  host.picks.push((items, options) => {
    assert.equal(options.canPickMany, true);
    assert.deepEqual(items.map(({ label, description }) => [label, description]), [
      ["one → eins", "line 1"], ["three → drei", "line 1"],
    ]);
    return [items[1]];
  });
  await window.command("rephrase");
  await window.untilDone();
  await window.command("acceptSome");
  assert.equal(window.text, "one two drei");
  window.document.undo();
  assert.equal(window.text, "one two three");
});

inWindow("a_region_is_followed_through_edits_elsewhere", {
  text: "x\n\none {{two}}\n\ny", methods: rephrase(answer("zwei")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  window.type(0, "new\nlines\n");
  window.type(window.text.indexOf("one"), "NOT ");
  window.type(window.text.indexOf("two"), "<");
  window.type(window.text.indexOf("two") + 3, ">");
  window.type(window.text.length, "more");
  await window.command("accept");
  assert.equal(window.text, "new\nlines\nx\n\nNOT one <zwei>\n\nymore");
});

for (const [choice, expected, requests] of [
  ["Replace Anyway", "zwei", 1], [undefined, "oneX two", 1], ["Try Again", "drei", 2],
]) {
  inWindow(`a_changed_text_asks_${(choice || "cancel").replace(" ", "_").toLowerCase()}`, {
    text: "{{one two}}", methods: rephrase(answer("zwei"), answer("drei")),
  }, async (window, host) => {
    host.answer(/The text was changed/, choice);
    await window.command("rephrase");
    await window.untilDone();
    window.type(3, "X");
    await window.command("accept");
    if (choice === "Try Again") {
      await window.untilGhost("→ drei");
      assert.equal(window.sent("assistant/rephrase")[1].params.text, "oneX two");
      await window.untilDone();
      await window.command("accept");
    }
    assert.equal(window.text, expected);
    assert.deepEqual(host.messages[0].items, ["Try Again", "Replace Anyway"]);
    assert.equal(window.sent("assistant/rephrase").length, requests);
  });
}

inWindow("a_deleted_text_is_refused", {
  text: "a\n{{b}}\nc", methods: rephrase(answer("B")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  window.document.set("a\nc");
  await window.command("accept");
  await window.untilMessage("The text was changed");
  assert.equal(window.text, "a\nc");
  await window.command("retry");
  await window.untilMessage("the text is gone");
});

inWindow("typing_at_the_same_moment_changes_nothing_and_can_be_repeated", {
  text: "{{one}} two", methods: rephrase(answer("eins")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  const accepting = window.command("accept");
  window.type(window.text.length, "!");
  await accepting;
  await window.untilMessage("could not be changed");
  assert.equal(window.text, "one two!");
  await window.command("accept");
  assert.equal(window.text, "eins two!");
});

inWindow("twice_the_key_is_once_the_answer", {
  text: "{{one}}", methods: rephrase(answer("eins")),
}, async (window, host) => {
  await window.command("rephrase");
  await window.untilDone();
  await Promise.all([window.command("accept"), window.command("accept")]);
  assert.equal(window.text, "eins");
  assert.deepEqual(host.messages, []);
});

inWindow("a_newer_request_takes_the_place_of_an_older_one", {
  text: "{{one}}", methods: rephrase([{ text: "half" }, FOREVER], answer("eins")),
}, async (window) => {
  await window.command("rephrase");
  await window.untilGhost("half");
  await window.command("rephrase");
  await window.untilDone();
  await window.untilGhost("→ eins");
  assert.equal(window.sent("$/cancelRequest").length, 1);
  assert.equal(window.ghosts().length, 1);
});

inWindow("a_read_only_document_says_so", { text: "{{one}}", methods: rephrase(answer("eins")) }, async (window) => {
  window.document.isReadOnly = true;
  await window.command("rephrase");
  await window.untilDone();
  await window.command("accept");
  await window.untilMessage("could not be changed");
  await window.command("copy");
  assert.equal(window.host.clipboard, "eins");
  assert.equal(window.text, "one");
});

inWindow("the_answer_goes_to_its_own_document", {
  text: "{{one}}", settings: { "inkling.preview": "off" },
  methods: rephrase([{ until: "session/list" }, ...answer("eins")]),
}, async (window, host) => {
  const first = window.document;
  await window.command("rephrase");
  await window.untilSent("assistant/rephrase");
  await window.open("other|", "other.md");
  host.tabs = host.tabs.filter((tab) => tab.editor.document !== first);
  await window.command("sessions");
  await until(() => first.getText() === "eins", "the answer");
  assert.equal(window.text, "other");
  first.undo();
  assert.equal(first.getText(), "one");
});

inWindow("without_a_preview_several_answers_are_one_undo", {
  text: "{{a}} {{b}}", settings: { "inkling.preview": "off" },
  methods: rephrase(answer("NEW", { warnings: [{ code: "protectedTextLost", message: "A name is lost." }] })),
}, async (window) => {
  await window.command("rephrase");
  await window.untilText("NEW NEW");
  await window.untilMessage("A name is lost.");
  assert.deepEqual(await window.lenses(), []);
  window.document.undo();
  assert.equal(window.text, "a b");
});

inWindow("warnings_are_shown_above_but_not_that_it_was_tried_again", {
  text: "{{a}}", methods: rephrase(answer("A", {
    warnings: [{ code: "retried", message: "Again." }, { code: "languageChanged", message: "It is in French." }],
  })),
}, async (window) => {
  await window.command("rephrase");
  await window.untilDone();
  const titles = await window.lenses();
  assert.ok(titles.includes("$(warning) It is in French."));
  assert.ok(!titles.some((title) => title.includes("Again.")));
});

/** Asks with a placement, accepts, and takes it back. */
function placed(name, placement, marked, block, expected) {
  inWindow(name, { text: marked, methods: rephrase(answer(block)) }, async (window) => {
    const before = window.text;
    await window.command("rephrase", { placement });
    await window.untilDone();
    const cursor = window.editor.selection;
    const place = () => {
      const { active } = window.editor.selection;
      return [window.document.lineAt(active.line).text, active.character];
    };
    const start = place();
    await window.command("accept");
    assert.equal(window.text, expected);
    assert.deepEqual(place(), start, "the cursor stays where it was in the text");
    window.document.undo();
    assert.equal(window.text, before);
    assert.deepEqual(window.editor.selection, cursor);
  });
}

placed("below_a_paragraph", "below", "{{one}}\ntwo", "S", "one\n\nS\n\ntwo");
placed("below_before_a_blank_line", "below", "{{one}}\n\ntwo", "S", "one\n\nS\n\ntwo");
placed("below_whole_lines", "below", "{{one\n}}two", "S", "one\n\nS\n\ntwo");
placed("below_the_last_line", "below", "{{one}}", "S\nT\n", "one\n\nS\nT");
placed("above_a_paragraph", "above", "one\n{{two}}", "S", "one\n\nS\n\ntwo");
placed("above_the_first_line", "above", "a {{one}}", "S", "S\n\na one");
placed("below_in_a_crlf_document", "below", "{{one}}\r\ntwo", "S\nT", "one\r\n\r\nS\r\nT\r\n\r\ntwo");

inWindow("into_a_new_document", { text: "{{one}}", methods: rephrase(answer("eins")) }, async (window, host) => {
  await window.command("rephrase", { placement: "document" });
  await window.untilDone();
  await window.command("accept");
  const made = await until(() => host.documents.find(({ uri }) => uri.scheme === "untitled"), "the document");
  assert.deepEqual([made.getText(), made.languageId, window.text], ["eins", "markdown", "one"]);
  assert.equal(host.active, window.editor);
});

inWindow("into_the_clipboard_and_a_notification", {
  text: "{{one}} {{two}}", methods: rephrase(answer("EIN"), answer("EIN"), answer("ZWEI")),
}, async (window, host) => {
  await window.command("rephrase", { placement: "clipboard" });
  await window.untilDone(2);
  await window.command("accept");
  assert.equal(host.clipboard, "EIN\n\nEIN");
  window.select(window.editor, [0, 3]);
  host.answer(/^ZWEI$/, "Copy");
  await window.command("rephrase", { placement: "notification" });
  await window.untilDone();
  await window.command("accept");
  await until(() => host.clipboard === "ZWEI", "the copy");
  assert.equal(window.text, "one two");
});

inWindow("a_closed_preview_is_not_opened_again", {
  text: "{{x}}", methods: rephrase([{ text: "a\nb" }, { until: "session/list" }, ...answer("a\nb\nc")]),
}, async (window, host) => {
  const shown = () => host.tabs.filter((tab) => tab.input.uri && tab.input.uri.scheme === "inkling-preview");
  await window.command("rephrase");
  await until(() => shown().length === 1, "the preview");
  host.closeTabs(shown());
  await window.command("sessions");
  await window.untilDone();
  assert.equal(shown().length, 0);
  await window.command("show");
  assert.equal(host.active.document.getText(), "a\nb\nc");
  await window.command("reject");
  assert.equal(shown().length, 0);
});
