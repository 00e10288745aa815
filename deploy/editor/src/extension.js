"use strict";
/** The entry point. Only this file loads the API of the editor. */

const vscode = require("vscode");
const { start } = require("./start");

/** @param {vscode.ExtensionContext} context */
exports.activate = (context) => start(vscode, context);
