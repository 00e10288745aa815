"use strict";
/** The parts of the extension, connected. */

const { Commands } = require("./commands");
const { HOST } = require("./program");
const { Registration } = require("./registration");
const { showStatus } = require("./status");

/**
 * Register the server and the commands until the subscriptions end.
 *
 * @param {typeof import("vscode")} vscode
 * @param {import("vscode").ExtensionContext} context
 * @param {import("./program").Host} host
 */
function start(vscode, context, host = HOST) {
  const registration = new Registration(vscode, context, host);
  context.subscriptions.push(registration);
  showStatus(vscode, context, registration);
  new Commands(vscode, context, registration);
}

module.exports = { start };
