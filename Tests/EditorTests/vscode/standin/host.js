"use strict";
// A stand-in for VS Code: what `require("vscode")` answers in the tests, and hands on it for the person at the
// keyboard. It is strict: a setting that is not declared, a command that is not there or a menu without a scripted
// choice fails.
const types = require("./types");
const { TextDocument, TextEditor } = require("./document");

const { Disposable, EventEmitter, TabInputText, TabInputTextDiff, Uri } = types;

class Host {
  /** @param {object} manifest the extension's package.json @param {object} settings what a person has set */
  constructor(manifest, settings = {}) {
    this.manifest = manifest;
    this.settings = { ...settings };
    this.events = Object.fromEntries([
      "changeDocument", "closeDocument", "changeSelection", "changeActive", "changeVisible",
    ].map((name) => [name, new EventEmitter()]));
    this.documents = [];
    this.tabs = [];
    this.active = null;
    this.commands = new Map();
    this.contexts = {};
    this.providers = new Map();
    this.fileSystems = new Map();
    this.lensProviders = [];
    this.decorationTypes = new Set();
    this.statusItems = new Set();
    this.messages = [];
    this.statusMessages = [];
    this.output = [];
    this.clipboard = "";
    this.answers = [];
    this.picks = [];
    this.inputs = [];
    this.asked = [];
    this.untitled = 0;
    this.api = this.makeApi();
  }

  get editors() {
    return this.tabs.map((tab) => tab.editor).filter(Boolean);
  }

  editorsOf(document) {
    return this.editors.filter((editor) => editor.document === document);
  }

  /** The next message that fits is answered so, in time or already shown. */
  answer(pattern, choice) {
    this.answers.push({ pattern, choice });
  }

  open(uri, languageId, content) {
    const document = new TextDocument(this, uri, languageId, content);
    this.documents.push(document);
    return document;
  }

  close(document) {
    this.tabs = this.tabs.filter((tab) => !tab.editor || tab.editor.document !== document);
    document.isClosed = true;
    this.documents = this.documents.filter((other) => other !== document);
    if (this.active && this.active.document === document) this.activate(this.editors[0] || null);
    this.events.closeDocument.fire(document);
  }

  activate(editor) {
    if (this.active === editor) return;
    this.active = editor;
    this.events.changeActive.fire(editor || undefined);
  }

  /** What stands above a document: the titles of its actions. */
  async lenses(document) {
    const lists = await Promise.all(this.lensProviders.map((provider) => provider.provideCodeLenses(document)));
    return lists.flat();
  }

  message(level) {
    return async (message, ...rest) => {
      const options = rest[0] && typeof rest[0] === "object" ? rest.shift() : {};
      this.messages.push({ level, message, items: rest, ...options });
      const index = this.answers.findIndex(({ pattern }) => pattern.test(message));
      if (index < 0) return undefined;
      const [{ choice }] = this.answers.splice(index, 1);
      if (choice !== undefined && !rest.includes(choice)) throw new Error(`“${choice}” is not among ${rest}`);
      return choice;
    };
  }

  configuration(section = "") {
    const declared = this.manifest.contributes.configuration.properties;
    const full = (name) => {
      const key = `${section}.${name}`;
      if (!(key in declared)) throw new Error(`the setting ${key} is not declared`);
      return key;
    };
    return {
      get: (name) => {
        const key = full(name);
        return key in this.settings ? this.settings[key] : JSON.parse(JSON.stringify(declared[key].default));
      },
      update: async (name, value) => {
        this.settings[full(name)] = value;
      },
    };
  }

  async openTextDocument(what) {
    if (!(what instanceof Uri)) {
      this.untitled += 1;
      const uri = Uri.from({ scheme: "untitled", path: `/Untitled-${this.untitled}` });
      return this.open(uri, what.language, what.content);
    }
    const there = this.documents.find((document) => document.uri.toString() === what.toString());
    if (there) return there;
    const provider = this.providers.get(what.scheme);
    const files = this.fileSystems.get(what.scheme);
    if (!provider && !files) throw new Error(`nothing provides ${what}`);
    const content = provider
      ? await provider.provideTextDocumentContent(what) : (await files.readFile(what)).toString("utf8");
    const document = this.open(what, what.path.endsWith(".md") ? "markdown" : "plaintext", content);
    document.isReadOnly = Boolean(provider);
    return document;
  }

  async showTextDocument(document, options = {}) {
    const active = this.active ? this.active.viewColumn : 1;
    const wanted = options.viewColumn === undefined ? -1 : options.viewColumn;
    const column = wanted === -1 ? active : wanted === -2 ? active + 1 : wanted;
    let editor = this.editorsOf(document).find((visible) => visible.viewColumn === column);
    if (!editor) {
      editor = new TextEditor(this, document, column);
      this.tabs.push({ editor, input: new TabInputText(document.uri) });
      this.events.changeVisible.fire(this.editors);
    }
    if (!options.preserveFocus) this.activate(editor);
    return editor;
  }

  async diff(original, modified, title) {
    const sides = [await this.openTextDocument(original), await this.openTextDocument(modified)];
    const editor = new TextEditor(this, sides[1], this.active.viewColumn);
    this.tabs.push({ editor, title, input: new TabInputTextDiff(original, modified) });
    this.activate(editor);
  }

  closeTabs(tabs) {
    this.tabs = this.tabs.filter((tab) => !tabs.includes(tab));
    for (const { editor } of tabs) {
      if (editor && this.editorsOf(editor.document).length === 0) this.close(editor.document);
      if (this.active === editor) this.activate(this.editors[0] || null);
    }
  }

  registerTextDocumentContentProvider(scheme, provider) {
    this.providers.set(scheme, provider);
    const listening = provider.onDidChange(async (uri) => {
      const document = this.documents.find((open) => open.uri.toString() === uri.toString());
      if (!document) return;
      const content = document.normalized(await provider.provideTextDocumentContent(uri));
      if (!document.isClosed && content !== document.content) document.set(content);
    });
    return new Disposable(() => {
      listening.dispose();
      this.providers.delete(scheme);
    });
  }

  decorationType() {
    const type = { isDisposed: false };
    this.decorationTypes.add(type);
    type.dispose = () => {
      type.isDisposed = true;
      this.decorationTypes.delete(type);
      for (const editor of this.editors) editor.decorations.delete(type);
    };
    return type;
  }

  statusItem(id) {
    const item = { id, isVisible: false };
    Object.assign(item, {
      show: () => { item.isVisible = true; }, hide: () => { item.isVisible = false; },
      dispose: () => this.statusItems.delete(item),
    });
    this.statusItems.add(item);
    return item;
  }

  async pick(items, options = {}) {
    const list = await items;
    this.asked.push({ items: list, options });
    const choose = this.picks.shift();
    if (!choose) throw new Error(`nothing was chosen of ${JSON.stringify(list)}`);
    return choose(list, options);
  }

  async input(options) {
    this.asked.push({ options });
    if (this.inputs.length === 0) throw new Error(`nothing was typed for ${JSON.stringify(options)}`);
    return this.inputs.shift();
  }

  async execute(name, ...given) {
    if (name === "setContext") {
      const [key, value] = given;
      this.contexts[key] = value;
      return undefined;
    }
    if (name === "vscode.diff") return this.diff(...given);
    if (!this.commands.has(name)) throw new Error(`there is no command ${name}`);
    return this.commands.get(name)(...given);
  }

  makeApi() {
    const host = this;
    const { events } = this;
    const removal = (map, key) => new Disposable(() => map.delete(key));
    return {
      ...types,
      version: "1.74.0",
      env: { clipboard: { writeText: async (words) => { host.clipboard = words; } } },
      commands: {
        executeCommand: (...given) => host.execute(...given),
        registerCommand: (name, handler) => {
          if (host.commands.has(name)) throw new Error(`the command ${name} is there already`);
          host.commands.set(name, handler);
          return removal(host.commands, name);
        },
      },
      languages: {
        registerCodeLensProvider: (_selector, provider) => {
          host.lensProviders.push(provider);
          return new Disposable(() => {
            host.lensProviders = host.lensProviders.filter((other) => other !== provider);
          });
        },
      },
      workspace: {
        getConfiguration: (section) => host.configuration(section),
        onDidChangeTextDocument: events.changeDocument.event,
        onDidCloseTextDocument: events.closeDocument.event,
        openTextDocument: (what) => host.openTextDocument(what),
        registerTextDocumentContentProvider: (...given) => host.registerTextDocumentContentProvider(...given),
        registerFileSystemProvider: (scheme, provider) => {
          host.fileSystems.set(scheme, provider);
          return removal(host.fileSystems, scheme);
        },
        applyEdit: async (edit) => {
          await new Promise(setImmediate);
          const document = host.documents.find((open) => open.uri.toString() === edit.edits[0].uri.toString());
          if (!document || document.isReadOnly) return false;
          document.apply(edit.edits, { before: true, after: true });
          return true;
        },
      },
      window: {
        get activeTextEditor() { return host.active || undefined; },
        get visibleTextEditors() { return host.editors; },
        onDidChangeTextEditorSelection: events.changeSelection.event,
        onDidChangeActiveTextEditor: events.changeActive.event,
        onDidChangeVisibleTextEditors: events.changeVisible.event,
        showTextDocument: (...given) => host.showTextDocument(...given),
        showInformationMessage: host.message("information"),
        showWarningMessage: host.message("warning"),
        showErrorMessage: host.message("error"),
        showQuickPick: (...given) => host.pick(...given),
        showInputBox: (options) => host.input(options),
        setStatusBarMessage: (words) => { host.statusMessages.push(words); },
        createStatusBarItem: (id) => host.statusItem(id),
        createTextEditorDecorationType: () => host.decorationType(),
        createOutputChannel: () => ({
          clear: () => { host.output = []; },
          appendLine: (line) => { host.output.push(line); },
          show() {},
          dispose() {},
        }),
        tabGroups: {
          get all() { return [{ tabs: host.tabs }]; },
          close: async (tabs) => host.closeTabs(tabs),
        },
      },
    };
  }
}

module.exports = { Host };
