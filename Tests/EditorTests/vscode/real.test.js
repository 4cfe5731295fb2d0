"use strict";
// With the program itself and its model. What it writes is not judged here, but that it comes, and what becomes of it.
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { inWindow, until } = require("./harness");

const PROGRAM = process.env.INKLING_BINARY || "inkling";

/** A window and a daemon with folders of their own; the daemon is ended after it. */
function real(name, options, body) {
  const place = path.join(os.tmpdir(), `inkling-real-${process.pid}-${name.length}`);
  const command = [PROGRAM, "connect"];
  inWindow(name, { ...options, command }, async (window, host) => {
    const before = {};
    for (const variable of ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]) {
      before[variable] = process.env[variable];
      process.env[variable] = path.join(place, variable.toLowerCase());
      fs.mkdirSync(process.env[variable], { recursive: true, mode: 0o700 });
    }
    try {
      await body(window, host);
    } finally {
      await window.deactivate();
      execFileSync(PROGRAM, ["stop"], { stdio: "ignore" });
      for (const [variable, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[variable];
        else process.env[variable] = value;
      }
      fs.rmSync(place, { recursive: true, force: true });
    }
  });
}

real("real_answers_are_accepted_and_undone_together", {
  text: "- {{we was late today}} 🎉\r\n- {{the train were full}}\r\n",
}, async (window) => {
  const before = window.text;
  await window.command("rephrase", { tone: "proofread" });
  await until(() => window.ghosts().length === 2, "two previews");
  await window.untilDone(2);
  await window.command("accept");
  // The demonstration model may leave a text as it is.
  assert.match(window.text, /^- .+ 🎉\r\n- .+\r\n$/);
  assert.match(window.status(), /^Inkling: \d+ tokens\/s$/);
  window.document.undo();
  assert.equal(window.text, before);
});

real("real_tones_kinds_voices_and_status_are_offered", { text: "x|" }, async (window, host) => {
  host.picks.push(() => undefined, () => undefined);
  await window.command("menu");
  await window.command("voice");
  const labels = host.asked.flatMap(({ items }) => items.map((item) => item.label));
  for (const label of ["Rephrase: Proofread", "Summarize: Bullets", "Brainstorm: Story arc", "Woody"]) {
    assert.ok(labels.includes(label), `${label} in ${labels}`);
  }
  await window.command("status");
  assert.match(host.messages[0].detail, /process \d+, up \d+ min, clients: 1/);
  await window.command("doctor");
  assert.ok(host.output.includes("All is well."), host.output.join("\n"));
});

real("real_chat_answers_and_goes_on_later", {
  settings: { "inkling.chat.persist": true, "inkling.options": { maxTokens: 12 } },
}, async (window, host) => {
  await window.command("chat");
  const { document } = host.active;
  document.apply([{ range: host.active.selection, text: "Name a fish." }]);
  await window.command("chatSend");
  await until(() => /# Inkling\n\n[^]+\n\n# You\n\n$/.test(document.getText()) && !document.isDirty, "the answer");
  const said = document.getText();
  host.close(document);
  host.picks.push((items) => items[0], () => "Go On");
  await window.command("sessions");
  assert.equal(host.active.document.getText(), said);
});

real("real_stop_stops_the_model", {
  text: `{{${"A long story about a fish who swam far. ".repeat(5)}}}`,
}, async (window, host) => {
  await window.command("rephrase", { tone: "longer" });
  await until(() => window.status().includes("writing"), () => window.status());
  await window.command("stop");
  assert.equal(window.marks, 0);
  await until(async () => {
    host.messages.length = 0;
    await window.command("status");
    return host.messages[0].detail.includes("at work: 0");
  }, "an idle model");
});
