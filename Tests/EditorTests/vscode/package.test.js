"use strict";
// What stands in package.json against what is done, the package that is made, and the names against the protocol.
const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { EXTENSION, MANIFEST, ROOT, Window } = require("./harness");

const { contributes } = MANIFEST;
const SOURCES = ["extension.js", ...fs.readdirSync(path.join(EXTENSION, "lib")).map((name) => `lib/${name}`)]
  .map((name) => ({ name, text: fs.readFileSync(path.join(EXTENSION, name), "utf8") }));
const ALL = SOURCES.map(({ text }) => text).join("\n");
const README = fs.readFileSync(path.join(EXTENSION, "README.md"), "utf8");

/** The names of context keys in a `when` clause. */
function keysOf(when) {
  return when.replace(/(==|!=|=~)\s*\S+/g, " ").match(/[A-Za-z][\w.]*/g) || [];
}

test("every_command_is_declared_and_registered", async () => {
  const window = new Window({});
  const registered = [...window.host.commands.keys()].sort();
  await window.close();
  assert.deepEqual(registered, contributes.commands.map(({ command }) => command).sort());
  for (const { command, title, category } of contributes.commands) {
    assert.ok(title && category === "Inkling", command);
    assert.ok(README.includes(title.replace("…", "")), `README: ${title}`);
  }
});

test("what_is_not_always_there_is_not_always_in_the_palette", () => {
  const limited = contributes.menus.commandPalette.map(({ command }) => command);
  for (const { command, when, key } of contributes.keybindings) {
    assert.ok(when, key);
    assert.equal(limited.includes(command), /inkling\.|== inkling-chat/.test(when), command);
  }
});

test("menus_keys_and_actions_name_commands_and_contexts_that_are_there", async () => {
  const known = new Set(contributes.commands.map(({ command }) => command));
  const submenus = new Set(contributes.submenus.map(({ id }) => id));
  const window = new Window({});
  const contexts = Object.keys(window.host.contexts);
  await window.close();
  const entries = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
  for (const entry of entries) {
    assert.ok(known.has(entry.command) || submenus.has(entry.submenu), JSON.stringify(entry));
    for (const key of keysOf(entry.when || "").filter((name) => name.startsWith("inkling."))) {
      assert.ok(contexts.includes(key), key);
    }
  }
  for (const id of submenus) assert.ok(contributes.menus[id].length > 0);
  for (const [name] of ALL.matchAll(/(?<=["`])inkling\.[a-z]\w*(?=["`])/g)) {
    const isName = known.has(name) || contexts.includes(name) || name in contributes.configuration.properties;
    assert.ok(isName || ["inkling.status", "inkling.chat", "inkling.prewarm"].includes(name), name);
  }
});

// The second keys after Ctrl+K, and the keys, that VS Code 1.134 has for a text editor or for everything.
const TAKEN = new Set([
  ..."cdefmoprsuvwz", "enter", "shift+enter", "shift+o", "up", "down", "left", "right", "f2", "f12", "y", "i", "t",
]);

test("keys_collide_with_nothing_built_in", () => {
  const seen = new Set();
  for (const { command, key, mac, when } of contributes.keybindings) {
    const chord = /^ctrl\+k ((?:shift\+)?[a-z])$/.exec(key);
    if (chord) {
      assert.ok(!TAKEN.has(chord[1]), key);
      assert.equal(mac, key.replace("ctrl+k", "cmd+k"));
    } else {
      assert.ok(["escape", "alt+enter"].includes(key), key);
      // These have a meaning where a widget is open, and that goes first.
      for (const widget of ["findWidgetVisible", ...key === "escape" ? ["suggestWidgetVisible"] : []]) {
        assert.ok(when.includes(`!${widget}`), `${command}: ${widget}`);
      }
    }
    assert.ok(!seen.has(`${key} ${when}`), key);
    seen.add(`${key} ${when}`);
    const shown = key.split(/[ +]/).map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("+")
      .replace("Ctrl+K+", "Ctrl+K ");
    assert.ok(README.includes(`\`${shown}\``), `README: ${shown}`);
  }
});

test("every_setting_is_declared_described_and_read", () => {
  const declared = Object.entries(contributes.configuration.properties);
  const settings = SOURCES.find(({ name }) => name === "lib/settings.js").text;
  const read = new Set();
  for (const part of settings.split(/(?=getConfiguration\()/).slice(1)) {
    const section = /getConfiguration\("([\w.]+)"/.exec(part)[1];
    for (const [, name] of part.matchAll(/\bget\("(\w+)"\)/g)) read.add(`${section}.${name}`);
  }
  assert.deepEqual([...read].sort(), declared.map(([name]) => name).sort());
  for (const [name, setting] of declared) {
    assert.ok(setting.description || setting.markdownDescription, name);
    assert.ok(setting.type && "default" in setting, name);
    assert.ok(["machine", "resource", "window"].includes(setting.scope), name);
    if (setting.enumDescriptions) assert.equal(setting.enumDescriptions.length, setting.enum.length, name);
    assert.ok(README.includes(`\`${name}\``), `README: ${name}`);
  }
  for (const { name, text } of SOURCES) {
    if (name !== "lib/settings.js") assert.ok(!text.includes("getConfiguration"), name);
  }
});

test("a_workspace_cannot_choose_the_program_nor_what_is_read_ahead", () => {
  for (const [name, { scope }] of Object.entries(contributes.configuration.properties)) {
    assert.equal(scope === "machine", /^inkling\.(command$|prewarm\.)/.test(name), name);
  }
  const { untrustedWorkspaces, virtualWorkspaces } = MANIFEST.capabilities;
  assert.deepEqual([untrustedWorkspaces.supported, virtualWorkspaces], ["limited", true]);
  for (const name of untrustedWorkspaces.restrictedConfigurations) {
    assert.ok(name in contributes.configuration.properties, name);
  }
});

test("the_manifest_is_whole", () => {
  assert.ok(fs.existsSync(path.join(EXTENSION, MANIFEST.main)));
  assert.match(MANIFEST.version, /^\d+\.\d+\.\d+$/);
  assert.match(MANIFEST.engines.vscode, /^\^1\.\d+\.0$/);
  // VS Code finds the activation events of commands by itself from 1.74 on.
  assert.ok(Number(MANIFEST.engines.vscode.split(".")[1]) >= 74);
  assert.deepEqual(MANIFEST.activationEvents, ["onFileSystem:inkling-chat"]);
  assert.deepEqual(MANIFEST.extensionKind, ["ui", "workspace"]);
  assert.ok(!MANIFEST.dependencies && !MANIFEST.devDependencies);
  const required = [...ALL.matchAll(/require\("([^".]+)"\)/g)].map(([, name]) => name);
  for (const name of required) assert.ok(name === "vscode" || name.startsWith("node:"), name);
});

test("the_package_is_the_same_each_time_and_holds_all", () => {
  const packages = [0, 1].map(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inkling-vsix-"));
    const made = spawnSync(path.join(EXTENSION, "make-vsix"), [folder], { encoding: "utf8" });
    assert.equal(made.status, 0, made.stderr);
    const bytes = fs.readFileSync(made.stdout.trim());
    const listed = spawnSync("python3", ["-c", [
      "import sys, zipfile, xml.dom.minidom as xml", "package = zipfile.ZipFile(sys.argv[1])",
      "assert package.testzip() is None", "print('\\n'.join(package.namelist()))",
      "[xml.parseString(package.read(name)) for name in ('extension.vsixmanifest', '[Content_Types].xml')]",
      "print(package.read('extension.vsixmanifest').decode())",
    ].join("\n"), made.stdout.trim()], { encoding: "utf8" });
    assert.equal(listed.status, 0, listed.stderr);
    fs.rmSync(folder, { recursive: true });
    return { bytes, name: path.basename(made.stdout.trim()), listed: listed.stdout };
  });
  assert.ok(packages[0].bytes.equals(packages[1].bytes));
  assert.equal(packages[0].name, `inkling-${MANIFEST.version}.vsix`);
  const [{ listed }] = packages;
  const names = listed.split("<?xml")[0].trim().split("\n");
  assert.deepEqual(names, [
    "[Content_Types].xml", "extension.vsixmanifest", "extension/LICENSE.txt", "extension/README.md",
    ...SOURCES.map(({ name }) => `extension/${name}`), "extension/package.json",
  ].sort());
  for (const words of [
    `Id="inkling" Version="${MANIFEST.version}" Publisher="inkling"`, `Value="${MANIFEST.engines.vscode}"`,
    'Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="ui,workspace"', 'Path="extension/package.json"',
  ]) assert.ok(listed.includes(words), words);
});

test("names_stand_in_the_protocol", () => {
  const contract = fs.readFileSync(path.join(ROOT, "protocol.md"), "utf8");
  const missing = [];
  const methods = new Set(ALL.match(/(?<=["`])(?:assistant|session|model|daemon|tool|\$)\/\w+(?=["`])/g));
  for (const name of methods) if (!contract.includes(`### \`${name}\``)) missing.push(name);
  // Names that are sent or read: members of parameters, results, partial results, warnings and failures.
  const wire = SOURCES.filter(({ name }) => /client|request|chat\.js|chats|tasks|doctor|status|edits/.test(name))
    .map(({ text }) => text).join("\n");
  const read = [...wire.matchAll(/\b(?:params|result|value|warning|usage|session|availability|data)\.([a-z]\w+)/g)];
  const sent = [...wire.matchAll(/\b([a-z]+(?:Id|Token|Policy|History|Encodings?|Info)): /g)];
  const fields = new Set([...read, ...sent].map(([, name]) => name));
  const known = new Set(["length", "map"]);
  for (const name of fields) {
    if (!known.has(name) && !new RegExp(`[\`"]${name}[\`"]`).test(contract)) missing.push(name);
  }
  for (const kind of ALL.match(/(?<=kind === "|\[")(?:sessionNotFound|modelUnavailable|engineFailed)/g)) {
    if (!contract.includes(`\`${kind}\``)) missing.push(kind);
  }
  assert.ok(methods.size >= 15 && fields.size >= 25, "the names are found");
  assert.deepEqual(missing, []);
});
