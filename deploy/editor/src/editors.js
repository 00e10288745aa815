"use strict";
/** The ways to give a server to an editor: Cursor's, VS Code's, and by hand. */

/** @typedef {import("./server").Server} Server */
/** @typedef {typeof import("vscode")} Editor */
/** @typedef {import("vscode").ExtensionContext} Context */
/** @typedef {NonNullable<NonNullable<Editor["cursor"]>["mcp"]>} CursorServers */

/**
 * Where a server is left for the editor; undefined takes it back, and so does the end.
 *
 * @typedef {{ offer(server: Server | undefined): void, dispose(): void }} Door
 */

/** What every client calls the server: agents see it in the names of the tools. */
const NAME = "asdlc";

/** As package.json declares it. */
const PROVIDER = "asdlc-kb";

/** Under which a workspace remembers what its user was shown. */
const TOLD = "told";

const COPY = "Copy configuration";

/**
 * Return the way that this editor has.
 *
 * @param {Editor} vscode
 * @param {Context} context
 * @returns {Door}
 */
function openDoor(vscode, context) {
  const servers = vscode.cursor?.mcp;
  if (typeof servers?.registerServer === "function") {
    return new CursorDoor(servers);
  }
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider === "function") {
    return new CodeDoor(vscode, context.extension.packageJSON.version);
  }
  return new NoDoor(vscode, context.workspaceState);
}

/** Cursor keeps a server under its name until it is told otherwise. */
class CursorDoor {
  #servers;
  #isOffered = false;

  /** @param {CursorServers} servers */
  constructor(servers) {
    this.#servers = servers;
  }

  /** @param {Server | undefined} server */
  offer(server) {
    this.dispose();
    if (server) {
      this.#servers.registerServer({ name: NAME, server: "url" in server ? server : { ...server, env: {} } });
      this.#isOffered = true;
    }
  }

  dispose() {
    if (this.#isOffered) {
      this.#isOffered = false;
      this.#servers.unregisterServer(NAME);
    }
  }
}

/** VS Code asks for servers, and is told when to ask again. */
class CodeDoor {
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
  offer(server) {
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

/** The editor takes no server from an extension: its user is told what to write, once a workspace. */
class NoDoor {
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
  async offer(server) {
    const text = server && JSON.stringify({ mcpServers: { [NAME]: server } }, null, 2);
    if (text === undefined || text === this.#memory.get(TOLD)) {
      return;
    }
    await this.#memory.update(TOLD, text);
    const message = "This editor accepts no MCP servers from extensions. Copy the configuration into its MCP settings.";
    if ((await this.#vscode.window.showInformationMessage(message, COPY)) === COPY) {
      await this.#vscode.env.clipboard.writeText(text);
    }
  }

  dispose() {
    // What a person wrote by hand is theirs.
  }
}

module.exports = { openDoor };
