"use strict";
// Conversations in documents, and the sessions that are kept.
const assert = require("node:assert/strict");
const { Selection } = require("./standin/types");
const { answer, inWindow, until } = require("./harness");

const CREATED = [{ result: { session: {}, warnings: [] } }];
const FOREVER = { seconds: 30 };

function chatting(name, plays, body, more = {}) {
  const methods = { "assistant/chat": plays, "session/create": [CREATED], ...more.methods };
  inWindow(name, { ...more, methods }, async (window, host) => {
    await window.command("chat");
    window.editor = host.active;
    window.document = host.active.document;
    await body(window, host);
  });
}

/** Writes at the end and sends. */
async function say(window, words) {
  window.type(window.text.length, words);
  await window.command("chatSend");
}

chatting("a_chat_is_a_document", [answer("Hi, Ada."), answer("Fine.")], async (window, host) => {
  assert.equal(window.text, "# You\n\n");
  assert.equal(window.document.uri.toString(), "inkling-chat:/Chat.md");
  await say(window, "Hello");
  await window.untilText("# You\n\nHello\n\n# Inkling\n\nHi, Ada.\n\n# You\n\n");
  await until(() => !window.document.isDirty, "a document that closes without a question");
  const cursor = window.document.offsetAt(host.active.selection.active);
  assert.equal(cursor, window.text.length, "ready for the next message");
  await say(window, "How are you?\n");
  await window.untilText(
    "# You\n\nHello\n\n# Inkling\n\nHi, Ada.\n\n# You\n\nHow are you?\n\n# Inkling\n\nFine.\n\n# You\n\n");
  const [create] = window.sent("session/create");
  const sent = window.sent("assistant/chat").map(({ params }) => params);
  assert.equal(window.sent("session/create").length, 1);
  assert.deepEqual(sent.map((params) => params.message), ["Hello", "How are you?"]);
  assert.ok(sent.every((params) => params.sessionId === create.params.sessionId));
  assert.deepEqual([create.params.title, create.params.persist, create.params.transcript], ["Hello", false, []]);
});

chatting("the_next_message_is_written_while_the_answer_comes", [
  [{ text: "One" }, { until: "session/list" }, { text: " two", offset: 3 }, { result: { text: "One two" } }],
], async (window, host) => {
  await say(window, "Count");
  await until(() => window.text.includes("One"), "the beginning");
  assert.equal(host.contexts["inkling.chatBusy"], true);
  window.type(window.text.length, "and then");
  await window.command("sessions");
  await window.untilText("# You\n\nCount\n\n# Inkling\n\nOne two\n\n# You\n\nand then");
  assert.equal(host.contexts["inkling.chatBusy"], false);
});

chatting("a_restart_replaces_what_was_shown", [
  [{ text: "Wrong 🎉" }, { text: "Right", offset: 0 }, { result: { text: "Right 🎉" } }],
], async (window) => {
  await say(window, "Hello");
  await window.untilText("# You\n\nHello\n\n# Inkling\n\nRight 🎉\n\n# You\n\n");
});

chatting("stop_gives_the_message_back", [[{ text: "Half" }, FOREVER]], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Half"), "the beginning");
  await window.command("stop");
  await window.untilText("# You\n\nHello");
  assert.equal((await window.untilSent("$/cancelRequest")).length, 1);
  assert.equal(window.status(), "");
});

chatting("an_error_gives_the_message_back_before_what_was_written_meanwhile", [
  [{ text: "Half" }, { until: "session/list" }, { error: { code: 1013, message: "The engine crashed." } }],
], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Half"), "the beginning");
  window.type(window.text.length, "more");
  await window.command("sessions");
  await window.untilMessage("The engine crashed.");
  await window.untilText("# You\n\nHello\n\nmore");
});

chatting("an_answer_again", [answer("Hi."), [{ text: "Ho" }, FOREVER], answer("Hey.")], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Hi.") && !window.document.isDirty, "the answer");
  await window.command("chatRetry");
  await until(() => window.text.includes("Ho") && !window.text.includes("Hi."), "another one");
  await window.command("stop");
  await until(() => window.text.includes("Hi."), "the answer before");
  await window.command("chatRetry");
  await window.untilText("# You\n\nHello\n\n# Inkling\n\nHey.\n\n# You\n\n");
  const sent = window.sent("assistant/chat").map(({ params }) => [params.message, params.retry]);
  assert.deepEqual(sent, [["Hello", undefined], [undefined, true], [undefined, true]]);
});

chatting("a_message_is_taken_back", [answer("Hi.")], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Hi.") && !window.document.isDirty, "the answer");
  await window.command("chatTakeBack");
  await window.untilText("# You\n\nHello");
  assert.equal(window.sent("session/rewind")[0].params.turns, 1);
}, { methods: { "session/rewind": [[{ result: { session: {} } }]] } });

chatting("a_session_that_is_gone_is_made_again_with_what_was_said", [
  answer("Hi."), [{ error: { code: 1003, message: "gone", data: { kind: "sessionNotFound" } } }], answer("Fine."),
], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Hi.") && !window.document.isDirty, "the answer");
  await say(window, "And?");
  await until(() => window.text.includes("Fine."), "the answer of the new session");
  const [first, second] = window.sent("session/create").map(({ params }) => params);
  assert.notEqual(second.sessionId, first.sessionId);
  assert.deepEqual(second.transcript.map(({ role, text }) => [role, text]), [["prompt", "Hello"], ["response", "Hi."]]);
  assert.equal(window.sent("assistant/chat")[2].params.message, "And?");
  assert.deepEqual(window.host.messages, []);
});

chatting("a_session_that_is_gone_is_made_again_for_another_answer", [
  answer("Hi."), [{ error: { code: 1003, message: "gone", data: { kind: "sessionNotFound" } } }], answer("Hey."),
], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Hi.") && !window.document.isDirty, "the answer");
  await window.command("chatRetry");
  await window.untilText("# You\n\nHello\n\n# Inkling\n\nHey.\n\n# You\n\n");
  assert.deepEqual(window.sent("session/create")[1].params.transcript, []);
  const { message, retry } = window.sent("assistant/chat")[2].params;
  assert.deepEqual([message, retry], ["Hello", undefined]);
});

chatting("nothing_is_sent_when_nothing_is_written", [answer("Hi.")], async (window) => {
  await window.command("chatSend");
  await window.untilMessage("write below the last “# You”");
  await window.command("chatRetry");
  await window.untilMessage("nothing was said yet");
  assert.equal(window.log().length, 0);
});

chatting("closing_a_chat_ends_its_session", [[{ text: "Half" }, FOREVER]], async (window, host) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Half"), "the beginning");
  host.close(window.document);
  await window.untilSent("$/cancelRequest");
  const [deleted] = await window.untilSent("session/delete");
  assert.equal(deleted.params.sessionId, window.sent("session/create")[0].params.sessionId);
});

chatting("the_voice_of_a_chat_changes_with_what_was_said", [answer("Hi.")], async (window) => {
  await say(window, "Hello");
  await until(() => window.text.includes("Hi.") && !window.document.isDirty, "the answer");
  await window.command("voice", { voice: "dory" });
  const [updated] = await window.untilSent("session/update");
  assert.deepEqual([updated.params.personality, updated.params.keepHistory], ["dory", true]);
}, { methods: { "session/update": [[{ result: { session: {} } }]] } });

const KEPT = { sessionId: "film", title: "A film", turns: 1, persisted: true, updatedAt: "2026-01-05T10:01:12Z" };
const SESSIONS = {
  "session/list": [[{ result: { sessions: [{ ...KEPT, sessionId: "other", persisted: false }, KEPT] } }]],
  "session/get": [[{ result: { session: KEPT, transcript: [
    { role: "instructions", text: "Be kind." }, { role: "prompt", text: "Who?" }, { role: "response", text: "An owl." },
  ] } }]],
  "session/export": [[{ result: { text: "# A film\n" } }]],
  "session/delete": [[{ result: null }]],
};

for (const [action, body] of [
  ["Go On", async (window, host) => {
    window.document = host.active.document;
    assert.equal(window.text, "# You\n\nWho?\n\n# Inkling\n\nAn owl.\n\n# You\n\n");
    await say(window, "Why?");
    await until(() => window.text.includes("Because."), "the answer");
    assert.deepEqual(window.sent("assistant/chat")[0].params.sessionId, "film");
    assert.equal(window.sent("session/create").length, 0);
    host.close(window.document);
    // What is kept is not deleted with its document.
    await window.command("sessions").catch(() => {});
    assert.equal(window.sent("session/delete").length, 0);
  }],
  ["Copy to a New Document", async (_window, host) => assert.equal(host.active.document.getText(), "# A film\n")],
  ["Delete", async (window) => assert.equal(window.sent("session/delete")[0].params.sessionId, "film")],
]) {
  inWindow(`sessions_that_are_kept_${action.split(" ")[0].toLowerCase()}`, {
    methods: { ...SESSIONS, "assistant/chat": [answer("Because.")] },
  }, async (window, host) => {
    host.picks.push((items) => {
      assert.deepEqual(items.map(({ label, description }) => [label, description]), [["A film", "1 turns"]]);
      return items[0];
    }, (items) => items.find((item) => item === action), () => undefined);
    await window.command("sessions");
    await body(window, host);
  });
}

chatting("chats_are_kept_when_the_setting_says_so", [answer("Hi.")], async (window) => {
  await say(window, "Hello\nthere");
  await window.untilSent("assistant/chat");
  const { persist, title, instructions, transcript } = window.sent("session/create")[0].params;
  assert.deepEqual([persist, title, instructions, transcript[0].role], [true, "Hello", "Be kind.", "instructions"]);
}, { settings: { "inkling.chat.persist": true, "inkling.chat.instructions": "Be kind." } });

chatting("two_chats_have_files_of_their_own", [answer("Hi.")], async (window, host) => {
  await window.command("chat");
  assert.equal(host.active.document.uri.path, "/Chat 2.md");
  host.active.selection = new Selection(0, 0, 0, 0);
  await window.command("chatSend");
  await window.untilMessage("write below");
  assert.equal(window.text, "# You\n\n");
});
