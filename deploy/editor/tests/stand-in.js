"use strict";
/** Stands in for an editor: as much of its API as the extension uses, driven by the test. */

const manifest = require("../package.json");

const SECTION = "asdlc-kb";

/** @type {Record<string, unknown>} As package.json has them, the values of settings that nobody set. */
const DEFAULTS = Object.fromEntries(
  Object.entries(manifest.contributes.configuration.properties).map(([name, property]) => [
    name.slice(SECTION.length + 1),
    property.default,
  ]),
);

class EventEmitter {
  /** @type {Set<(value: unknown) => unknown>} */
  #listeners = new Set();

  /** @param {(value: unknown) => unknown} listener */
  event = (listener) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  /** @param {unknown} [value] */
  fire(value) {
    for (const listener of [...this.#listeners]) {
      listener(value);
    }
  }

  dispose() {
    this.#listeners.clear();
  }

  get size() {
    return this.#listeners.size;
  }
}

class McpStdioServerDefinition {
  /**
   * @param {string} label
   * @param {string} command
   * @param {string[]} args
   * @param {object} env
   * @param {string} version
   */
  constructor(label, command, args, env, version) {
    Object.assign(this, { label, command, args, env, version });
  }
}

class McpHttpServerDefinition {
  /**
   * @param {string} label
   * @param {unknown} uri
   * @param {object} headers
   * @param {string} version
   */
  constructor(label, uri, headers, version) {
    Object.assign(this, { label, uri, headers, version });
  }
}

/** One window of an editor. `kind` is the way in which it takes servers. */
class Editor {
  /** @type {string[]} What was shown to the user. */
  said = [];
  /** @type {string | undefined} The button that the user presses. */
  answer = undefined;
  clipboard = "";
  /** @type {string[][]} */
  executed = [];
  /** @type {Map<string, object>} What Cursor has. */
  registered = new Map();
  /** @type {string[]} What was asked of Cursor, in order. */
  calls = [];
  /** @type {Map<string, any>} The providers of VS Code. */
  providers = new Map();
  /** How often VS Code was told to ask again. */
  fired = 0;
  /** @type {Map<string, unknown>} */
  memory = new Map();
  #configuration = new EventEmitter();
  #folders = new EventEmitter();
  /** @type {{ dispose(): unknown }[]} */
  subscriptions = [];

  /**
   * @param {"cursor" | "code" | "neither"} kind
   * @param {{ folders?: string[], settings?: Record<string, unknown> }} [opened]
   */
  constructor(kind, { folders = [], settings = {} } = {}) {
    this.kind = kind;
    this.settings = settings;
    this.uris = folders.map((folder) => ({ scheme: "file", fsPath: folder }));
  }

  /** The module that `require("vscode")` is. @returns {any} */
  get api() {
    return {
      EventEmitter,
      McpHttpServerDefinition,
      McpStdioServerDefinition,
      Uri: { parse: (/** @type {string} */ text) => new URL(text) },
      commands: { executeCommand: async (/** @type {string[]} */ ...words) => this.executed.push(words) },
      env: { clipboard: { writeText: async (/** @type {string} */ text) => (this.clipboard = text) } },
      lm: this.kind === "neither" ? {} : { registerMcpServerDefinitionProvider: this.#provide },
      window: { showInformationMessage: this.#show, showWarningMessage: this.#show },
      workspace: this.#workspace(),
      ...(this.kind === "cursor" && { cursor: { mcp: this.#cursor() } }),
    };
  }

  /** @returns {any} */
  get context() {
    return {
      extension: { packageJSON: { version: "1.2.3" } },
      subscriptions: this.subscriptions,
      workspaceState: {
        get: (/** @type {string} */ key) => this.memory.get(key),
        update: async (/** @type {string} */ key, /** @type {unknown} */ value) => void this.memory.set(key, value),
      },
    };
  }

  /** @returns {any[]} What VS Code is given when it asks. */
  ask() {
    return [...this.providers.values()].flatMap((provider) => provider.provideMcpServerDefinitions());
  }

  /** @param {Record<string, unknown>} settings */
  configure(settings, section = SECTION) {
    this.settings = settings;
    this.#configuration.fire({ affectsConfiguration: (/** @type {string} */ name) => name === section });
  }

  /** @param {{ scheme: string, fsPath: string }[]} uris */
  open(uris) {
    this.uris = uris;
    this.#folders.fire();
  }

  /** End the extension, as an editor does. */
  end() {
    for (const one of this.subscriptions) {
      one.dispose();
    }
  }

  /** How many listeners are left. */
  get listeners() {
    return this.#configuration.size + this.#folders.size;
  }

  /**
   * @param {string} text
   * @param {string} button
   */
  #show = async (text, button) => {
    this.said.push(text);
    return this.answer === button ? button : undefined;
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

  #workspace() {
    const editor = this;
    return {
      get workspaceFolders() {
        return editor.uris.length > 0 ? editor.uris.map((uri) => ({ uri })) : undefined;
      },
      getConfiguration: () => ({
        get: (/** @type {string} */ name) => ({ ...DEFAULTS, ...this.settings })[name],
      }),
      onDidChangeConfiguration: this.#configuration.event,
      onDidChangeWorkspaceFolders: this.#folders.event,
    };
  }
}

module.exports = { DEFAULTS, Editor };
