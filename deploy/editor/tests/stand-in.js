"use strict";
/** Stands in for an editor: as much of its API as the extension uses, driven by the test. */

const path = require("node:path");
const manifest = require("../package.json");

const SECTION = "asdlc-kb";

/** @type {Record<string, unknown>} The defaults of package.json. */
const DEFAULTS = Object.fromEntries(
  Object.entries(manifest.contributes.configuration.properties).map(([name, property]) => [
    name.slice(SECTION.length + 1),
    property.default,
  ]),
);

class EventEmitter {
  /** @type {Set<(value: any) => unknown>} */
  #listeners = new Set();

  /** @param {(value: any) => unknown} listener */
  event = (listener) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  /** Return what the listeners returned. @param {unknown} [value] */
  fire(value) {
    return [...this.#listeners].map((listener) => listener(value));
  }

  dispose() {
    this.#listeners.clear();
  }

  get size() {
    return this.#listeners.size;
  }
}

/** A class that keeps its arguments under these names. @param {...string} names */
const record = (...names) =>
  class {
    /** @param {...unknown} values */
    constructor(...values) {
      names.forEach((name, index) => Object.assign(this, { [name]: values[index] }));
    }
  };

class McpStdioServerDefinition extends record("label", "command", "args", "env", "version") {}
class McpHttpServerDefinition extends record("label", "uri", "headers", "version") {}

/**
 * An address, of a file unless the scheme says otherwise.
 *
 * @param {string} fsPath
 * @returns {any}
 */
const uriOf = (fsPath, scheme = "file") => ({
  fsPath,
  scheme,
  with: (/** @type {{ scheme: string }} */ change) => uriOf(fsPath, change.scheme),
});

/** One window of an editor. `kind` is the way in which it accepts servers. */
class Editor {
  /** @type {string[]} The messages that were shown. */
  shown = [];
  /** @type {string | undefined} The button that the user presses. */
  answer = undefined;
  clipboard = "";
  /** @type {string[][]} Commands of the editor that were run. */
  executed = [];
  /** @type {Map<string, (...args: any[]) => any>} Commands of the extension. */
  commands = new Map();
  /** @type {Map<string, object>} The servers of Cursor. */
  registered = new Map();
  /** @type {string[]} The calls of Cursor's API, in order. */
  calls = [];
  /** @type {Map<string, any>} The providers of VS Code. */
  providers = new Map();
  /** The number of change events for VS Code. */
  fired = 0;
  /** How often the settings were read. */
  reads = 0;
  /** @type {Map<string, unknown>} */
  memory = new Map();
  /** @type {Map<string, any[]>} The problems that are shown, by path. */
  problems = new Map();
  /** @type {string[]} */
  log = [];
  /** @type {any[]} The lists that were shown; the first entry with an address is selected. */
  lists = [];
  /** @type {any[]} What was opened. */
  opened = [];
  /** @type {any} */
  status = { isShown: false };
  /** @type {any} The active editor. */
  active = undefined;
  events = {
    active: new EventEmitter(),
    configuration: new EventEmitter(),
    created: new EventEmitter(),
    deleted: new EventEmitter(),
    folders: new EventEmitter(),
    saved: new EventEmitter(),
  };
  /** @type {{ dispose(): unknown }[]} */
  subscriptions = [];

  /**
   * @param {"cursor" | "code" | "neither"} kind
   * @param {{ folders?: string[], settings?: Record<string, unknown> }} [opened]
   */
  constructor(kind, { folders = [], settings = {} } = {}) {
    this.kind = kind;
    this.settings = settings;
    this.uris = folders.map((folder) => uriOf(folder));
  }

  /** The module that `require("vscode")` is. @returns {any} */
  get api() {
    return {
      Diagnostic: record("range", "message", "severity"),
      DiagnosticSeverity: { Warning: 1 },
      EventEmitter,
      McpHttpServerDefinition,
      McpStdioServerDefinition,
      ProgressLocation: { Window: 10 },
      QuickPickItemKind: { Separator: -1 },
      Range: record("line", "column", "endLine", "endColumn"),
      RelativePattern: record("folder", "pattern"),
      StatusBarAlignment: { Right: 2 },
      ThemeColor: record("id"),
      Uri: {
        file: uriOf,
        joinPath: (/** @type {any} */ uri, /** @type {string} */ name) => uriOf(path.join(uri.fsPath, name)),
        parse: (/** @type {string} */ text) => new URL(text),
      },
      commands: {
        executeCommand: async (/** @type {string[]} */ ...words) => this.executed.push(words),
        registerCommand: (/** @type {string} */ name, /** @type {() => void} */ run) => {
          this.commands.set(name, run);
          return { dispose: () => this.commands.delete(name) };
        },
      },
      env: {
        appName: "Stand-in",
        clipboard: { writeText: async (/** @type {string} */ text) => (this.clipboard = text) },
      },
      languages: { createDiagnosticCollection: () => this.#problems() },
      lm: this.kind === "neither" ? {} : { registerMcpServerDefinitionProvider: this.#provide },
      window: this.#window(),
      workspace: this.#workspace(),
      ...(this.kind === "cursor" && { cursor: { mcp: this.#cursor() } }),
    };
  }

  /** @returns {any} */
  get context() {
    return {
      extension: { packageJSON: { version: "1.2.3" } },
      extensionPath: path.join(__dirname, ".."),
      subscriptions: this.subscriptions,
      workspaceState: {
        get: (/** @type {string} */ key) => this.memory.get(key),
        update: async (/** @type {string} */ key, /** @type {unknown} */ value) => void this.memory.set(key, value),
      },
    };
  }

  /** @returns {any[]} The definitions that VS Code gets. */
  ask() {
    return [...this.providers.values()].flatMap((provider) => provider.provideMcpServerDefinitions());
  }

  /** @param {Record<string, unknown>} settings */
  configure(settings, section = SECTION) {
    this.settings = settings;
    this.events.configuration.fire({ affectsConfiguration: (/** @type {string} */ name) => name === section });
  }

  /** @param {any[]} uris */
  open(uris) {
    this.uris = uris;
    this.events.folders.fire();
  }

  /** @param {any} uri */
  activate(uri) {
    this.active = uri && { document: { uri } };
    this.events.active.fire(this.active);
  }

  /** Save a file, and wait for what follows. @param {string} file */
  save(file) {
    return Promise.all(this.events.saved.fire({ uri: uriOf(file) }));
  }

  /** Run a command of the extension. @param {string} name @param {...unknown} args */
  run(name, ...args) {
    return this.commands.get(`${SECTION}.${name}`)?.(...args);
  }

  /** End the extension, as an editor does. */
  end() {
    for (const one of this.subscriptions) {
      one.dispose();
    }
  }

  /** The number of listeners that are left. */
  get listeners() {
    return Object.values(this.events).reduce((sum, event) => sum + event.size, 0);
  }

  /**
   * @param {string} text
   * @param {...string} buttons
   */
  #show = async (text, ...buttons) => {
    this.shown.push(text);
    return buttons.find((button) => button === this.answer);
  };

  /**
   * @param {string} id
   * @param {any} provider
   */
  #provide = (id, provider) => {
    this.providers.set(id, provider);
    provider.onDidChangeMcpServerDefinitions(() => (this.fired += 1));
    return { dispose: () => this.providers.delete(id) };
  };

  #cursor() {
    return {
      registerServer: (/** @type {{ name: string, server: object }} */ { name, server }) => {
        this.calls.push(`register ${name}`);
        this.registered.set(name, server);
      },
      unregisterServer: (/** @type {string} */ name) => {
        this.calls.push(`unregister ${name}`);
        this.registered.delete(name);
      },
    };
  }

  #problems() {
    return {
      set: (/** @type {any} */ uri, /** @type {any[]} */ found) => {
        this.problems.delete(uri.fsPath);
        if (found.length > 0) {
          this.problems.set(uri.fsPath, found);
        }
      },
      dispose: () => this.problems.clear(),
    };
  }

  #window() {
    const editor = this;
    return {
      get activeTextEditor() {
        return editor.active;
      },
      createOutputChannel: () => ({
        dispose: () => {},
        error: (/** @type {string} */ text) => this.log.push(text),
        info: (/** @type {string} */ text) => this.log.push(text),
        show: () => this.opened.push("log"),
      }),
      createStatusBarItem: () =>
        Object.assign(this.status, {
          dispose: () => (this.status.isShown = false),
          hide: () => (this.status.isShown = false),
          show: () => (this.status.isShown = true),
        }),
      onDidChangeActiveTextEditor: this.events.active.event,
      showErrorMessage: this.#show,
      showInformationMessage: this.#show,
      showQuickPick: async (/** @type {any[]} */ items, /** @type {object} */ options) => {
        this.lists.push({ items, ...options });
        return items.find(({ uri }) => uri);
      },
      showTextDocument: async (/** @type {any} */ uri) => this.opened.push(`${uri.scheme}:${uri.fsPath}`),
      showWarningMessage: this.#show,
      withProgress: (/** @type {object} */ _, /** @type {() => unknown} */ work) => work(),
    };
  }

  #workspace() {
    const editor = this;
    return {
      get workspaceFolders() {
        return editor.uris.length > 0 ? editor.uris.map((uri) => ({ uri })) : undefined;
      },
      createFileSystemWatcher: () => {
        /** @type {{ dispose(): unknown }[]} */
        const listening = [];
        const listen = (/** @type {EventEmitter} */ event) => (/** @type {() => void} */ listener) => {
          const one = event.event(listener);
          listening.push(one);
          return one;
        };
        return {
          onDidCreate: listen(this.events.created),
          onDidDelete: listen(this.events.deleted),
          dispose: () => listening.forEach((one) => one.dispose()),
        };
      },
      getConfiguration: () => {
        this.reads += 1;
        return { get: (/** @type {string} */ name) => ({ ...DEFAULTS, ...this.settings })[name] };
      },
      onDidChangeConfiguration: this.events.configuration.event,
      onDidChangeWorkspaceFolders: this.events.folders.event,
      onDidSaveTextDocument: this.events.saved.event,
    };
  }
}

module.exports = { DEFAULTS, Editor, uriOf };
