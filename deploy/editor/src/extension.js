"use strict";
/** What the editor starts. Only this file asks the editor for its API. */

const vscode = require("vscode");
const { start } = require("./start");

/** @param {vscode.ExtensionContext} context  Whatever is in its subscriptions ends with the extension. */
exports.activate = (context) => start(vscode, context);
