"use strict";
/** The registration of the server: follows settings, folders and the files that make a folder a project. */

const { looksLikeProject, WATCHED } = require("./detection");
const { findProgram } = require("./program");
const { createRegistrar } = require("./registrars");
const { BadSetting, SECTION, describeServer, readCommand, readProjects } = require("./server");

/** @typedef {import("./program").Host} Host */
/** @typedef {import("./server").Server} Server */
/** @typedef {typeof import("vscode")} Editor */

/**
 * What is registered, and what prevents it from working.
 *
 * @typedef {object} State
 * @property {Server} [server]
 * @property {string[]} projects
 * @property {string} problem  Empty if there is none.
 */

const SETTINGS = "Open settings";

/** Files arrive in great numbers when a branch is checked out: one look is enough for all of them. */
const DELAY_MS = 200;

class Registration {
  #vscode;
  #host;
  #changed;
  #registered = "";
  #shown = "";
  /** @type {import("vscode").Disposable[]} */
  #watchers = [];
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #subscriptions;
  /** @type {State} */
  state = { projects: [], problem: "" };

  /**
   * @param {Editor} vscode
   * @param {import("vscode").ExtensionContext} context
   * @param {Host} host
   */
  constructor(vscode, context, host) {
    const { workspace } = vscode;
    this.#vscode = vscode;
    this.#host = host;
    /** @type {import("./registrars").Registrar} */
    this.registrar = createRegistrar(vscode, context);
    this.#changed = /** @type {import("vscode").EventEmitter<void>} */ (new vscode.EventEmitter());
    this.onDidChange = this.#changed.event;
    this.#subscriptions = [
      workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch();
        this.refresh();
      }),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SECTION)) {
          this.refresh();
        }
      }),
    ];
    this.#watch();
    this.refresh();
  }

  /** Register the server if it changed; show a new problem once. */
  refresh() {
    this.state = this.#resolve();
    const { problem, server } = this.state;
    if (problem !== this.#shown) {
      this.#shown = problem;
      this.warn();
    }
    const registered = server ? JSON.stringify(server) : "";
    if (registered !== this.#registered) {
      this.#registered = registered;
      this.registrar.register(server);
    }
    this.#changed.fire();
  }

  /** Register the server again, even if nothing changed. */
  repeat() {
    this.#registered = "";
    this.#shown = "";
    this.refresh();
  }

  /** Show the problem, with a button that opens the settings. */
  async warn() {
    const { commands, window } = this.#vscode;
    const { problem } = this.state;
    if (problem !== "" && (await window.showWarningMessage(problem, SETTINGS)) === SETTINGS) {
      await commands.executeCommand("workbench.action.openSettings", SECTION);
    }
  }

  /**
   * Return the path of the program that commands run.
   *
   * @throws {Error} if it is missing.
   */
  findProgram() {
    const command = readCommand(this.#readSettings());
    const program = findProgram(command, this.#host);
    if (program === undefined) {
      throw new Error(describeMissing(command));
    }
    return program;
  }

  /** Return the folders in which rules can apply: the projects of the settings, or the workspace. */
  findRoots() {
    return [...readProjects(this.#readSettings()), ...this.#listFolders()];
  }

  dispose() {
    clearTimeout(this.#timer);
    for (const one of [...this.#watchers, ...this.#subscriptions, this.registrar, this.#changed]) {
      one.dispose();
    }
  }

  /** @returns {State} */
  #resolve() {
    try {
      const settings = this.#readSettings();
      const named = readProjects(settings);
      const projects = named.length > 0 ? named : this.#listFolders().filter((folder) => looksLikeProject(folder, this.#host.home));
      const server = describeServer(settings, projects);
      if (server === undefined || "url" in server) {
        return { ...(server && { server }), projects, problem: "" };
      }
      const command = findProgram(server.command, this.#host);
      // Without a program the name is registered all the same: it may be installed before an agent needs it.
      const problem = command === undefined ? describeMissing(server.command) : "";
      return { server: { ...server, command: command ?? server.command }, projects, problem };
    } catch (error) {
      if (error instanceof BadSetting) {
        return { projects: [], problem: error.message };
      }
      throw error;
    }
  }

  #readSettings() {
    const settings = this.#vscode.workspace.getConfiguration(SECTION);
    return (/** @type {string} */ name) => settings.get(name);
  }

  /** Return the folders of the workspace that are on disk. */
  #listFolders() {
    const folders = this.#vscode.workspace.workspaceFolders ?? [];
    return folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
  }

  /** Watch the paths that make a folder a project. */
  #watch() {
    const { RelativePattern, workspace } = this.#vscode;
    for (const watcher of this.#watchers) {
      watcher.dispose();
    }
    const ignoresChanges = true;
    this.#watchers = (workspace.workspaceFolders ?? []).flatMap((folder) => {
      const pattern = new RelativePattern(folder, WATCHED);
      const watcher = workspace.createFileSystemWatcher(pattern, false, ignoresChanges, false);
      return [watcher, watcher.onDidCreate(() => this.#schedule()), watcher.onDidDelete(() => this.#schedule())];
    });
  }

  #schedule() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refresh();
    }, DELAY_MS);
  }
}

/** @param {string} command */
function describeMissing(command) {
  return `Command not found: ${command}. Install asdlc-kb, or set ${SECTION}.command to its path.`;
}

module.exports = { DELAY_MS, Registration };
