"use strict";
/** The ways to register a server with an editor: Cursor's API, VS Code's API, a configuration to copy. */

/** @typedef {import("./server").Server} Server */
/** @typedef {typeof import("vscode")} Editor */
/** @typedef {import("vscode").ExtensionContext} Context */
/** @typedef {NonNullable<NonNullable<Editor["cursor"]>["mcp"]>} CursorServers */

/**
 * Registers one server at a time; undefined removes it, and so does the end.
 *
 * @typedef {object} Registrar
 * @property {(server: Server | undefined) => void} register
 * @property {() => void} dispose
 * @property {boolean} [isManual]  Whether the user has to copy the configuration.
 * @property {string} [listCommand]  The command of the editor that lists servers.
 */

/** The name of the server in every client: agents see it in the names of the tools. */
const NAME = "asdlc";

/** The id of the provider in package.json. */
const PROVIDER = "asdlc-kb";

/** The key under which a workspace stores the configuration that was shown last. */
const SHOWN = "shownConfiguration";

const COPY = "Copy configuration";

const BY_HAND = "This editor accepts no MCP servers from extensions. Copy the configuration into its MCP settings.";

/**
 * Return the registrar for this editor.
 *
 * @param {Editor} vscode
 * @param {Context} context
 * @returns {Registrar}
 */
function createRegistrar(vscode, context) {
  const servers = vscode.cursor?.mcp;
  if (typeof servers?.registerServer === "function") {
    return new CursorRegistrar(servers);
  }
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider === "function") {
    return new CodeRegistrar(vscode, context.extension.packageJSON.version);
  }
  return new ManualRegistrar(vscode, context.workspaceState);
}

/**
 * Return the configuration of a server, as most MCP clients read it.
 *
 * @param {Server} server
 */
function formatConfiguration(server) {
  return JSON.stringify({ mcpServers: { [NAME]: server } }, null, 2);
}

/** Cursor keeps a server under its name until it is unregistered. */
class CursorRegistrar {
  #servers;
  #isRegistered = false;

  /** @param {CursorServers} servers */
  constructor(servers) {
    this.#servers = servers;
  }

  /** @param {Server | undefined} server */
  register(server) {
    this.dispose();
    if (server) {
      this.#servers.registerServer({ name: NAME, server: "url" in server ? server : { ...server, env: {} } });
      this.#isRegistered = true;
    }
  }

  dispose() {
    if (this.#isRegistered) {
      this.#isRegistered = false;
      this.#servers.unregisterServer(NAME);
    }
  }
}

/** VS Code requests the definitions from a provider, again after each change event. */
class CodeRegistrar {
  listCommand = "workbench.mcp.listServer";
  #vscode;
  #version;
  #changed;
  #registration;
  /** @type {import("vscode").McpServerDefinition[]} */
  #definitions = [];

  /**
   * @param {Editor} vscode
   * @param {string} version
   */
  constructor(vscode, version) {
    this.#vscode = vscode;
    this.#version = version;
    this.#changed = /** @type {import("vscode").EventEmitter<void>} */ (new vscode.EventEmitter());
    this.#registration = vscode.lm.registerMcpServerDefinitionProvider(PROVIDER, {
      onDidChangeMcpServerDefinitions: this.#changed.event,
      provideMcpServerDefinitions: () => this.#definitions,
    });
  }

  /** @param {Server | undefined} server */
  register(server) {
    this.#definitions = server ? [this.#define(server)] : [];
    this.#changed.fire();
  }

  dispose() {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  /** @param {Server} server */
  #define(server) {
    const { McpHttpServerDefinition, McpStdioServerDefinition, Uri } = this.#vscode;
    if ("url" in server) {
      return new McpHttpServerDefinition(NAME, Uri.parse(server.url), {}, this.#version);
    }
    return new McpStdioServerDefinition(NAME, server.command, server.args, {}, this.#version);
  }
}

/** An editor without such an API: a message offers the configuration, once per workspace. */
class ManualRegistrar {
  isManual = true;
  #vscode;
  #memory;

  /**
   * @param {Editor} vscode
   * @param {import("vscode").Memento} memory
   */
  constructor(vscode, memory) {
    this.#vscode = vscode;
    this.#memory = memory;
  }

  /** @param {Server | undefined} server */
  async register(server) {
    const text = server && formatConfiguration(server);
    if (text === undefined || text === this.#memory.get(SHOWN)) {
      return;
    }
    await this.#memory.update(SHOWN, text);
    if ((await this.#vscode.window.showInformationMessage(BY_HAND, COPY)) === COPY) {
      await this.#vscode.env.clipboard.writeText(text);
    }
  }

  dispose() {
    // A configuration that a user pasted is not ours to remove.
  }
}

module.exports = { BY_HAND, COPY, createRegistrar, formatConfiguration };
