"use strict";
/** Keeps the server registered as settings and folders have it: looks at them, says what is wrong. */

const { openDoor } = require("./editors");
const { BadSetting, SECTION, describeServer, isInstalled } = require("./server");

/** @typedef {import("./server").Server} Server */
/** @typedef {typeof import("vscode")} Editor */

const SETTINGS = "Open settings";

/**
 * Register the server, and again when something changes, until the subscriptions end.
 *
 * @param {Editor} vscode
 * @param {import("vscode").ExtensionContext} context
 */
function start(vscode, context) {
  const { workspace } = vscode;
  const door = openDoor(vscode, context);
  let offered = "";
  let told = "";

  const refresh = () => {
    const { server, problem } = look(vscode);
    if (problem !== told) {
      told = problem;
      warn(vscode, problem);
    }
    const now = server ? JSON.stringify(server) : "";
    if (now !== offered) {
      offered = now;
      door.offer(server);
    }
  };

  context.subscriptions.push(
    door,
    workspace.onDidChangeWorkspaceFolders(refresh),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SECTION)) {
        refresh();
      }
    }),
  );
  refresh();
}

/**
 * Return the server as it should be now, and what its user should know of it.
 *
 * @param {Editor} vscode
 * @returns {{ server?: Server | undefined, problem: string }}
 */
function look({ workspace }) {
  const settings = workspace.getConfiguration(SECTION);
  const onDisk = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const folders = onDisk.map(({ uri }) => uri.fsPath);
  try {
    const server = describeServer((name) => settings.get(name), folders);
    const isThere = !server || "url" in server || isInstalled(server.command, process.env.PATH ?? "");
    return { server, problem: isThere ? "" : missing(server.command) };
  } catch (error) {
    if (error instanceof BadSetting) {
      return { problem: error.message };
    }
    throw error;
  }
}

/** @param {string} command */
function missing(command) {
  return `Command not found: ${command}. Install asdlc-kb, or set ${SECTION}.command to its path.`;
}

/**
 * @param {Editor} vscode
 * @param {string} problem  Nothing is said of none.
 */
async function warn({ commands, window }, problem) {
  if (problem !== "" && (await window.showWarningMessage(problem, SETTINGS)) === SETTINGS) {
    await commands.executeCommand("workbench.action.openSettings", SECTION);
  }
}

module.exports = { start };
