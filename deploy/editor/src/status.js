"use strict";
/** The status bar item: shows the rules of the active file, or a problem with the server. */

const { findRoot } = require("./detection");

/** @typedef {typeof import("vscode")} Editor */
/** @typedef {InstanceType<typeof import("./registration")["Registration"]>} Registration */

/**
 * Show the item while it has something to do, until the subscriptions end.
 *
 * @param {Editor} vscode
 * @param {import("vscode").ExtensionContext} context
 * @param {Registration} registration
 */
function showStatus(vscode, context, registration) {
  const { StatusBarAlignment, ThemeColor, window } = vscode;
  const item = window.createStatusBarItem("asdlc-kb", StatusBarAlignment.Right, 0);
  item.name = "asdlc-kb";

  const update = () => {
    const { problem, projects } = registration.state;
    const uri = window.activeTextEditor?.document.uri;
    if (problem !== "") {
      item.text = "$(warning) asdlc-kb";
      item.tooltip = problem;
      item.command = "asdlc-kb.connect";
      item.backgroundColor = new ThemeColor("statusBarItem.warningBackground");
    } else {
      item.text = "$(book) Rules";
      item.tooltip = "Show what applies to this file";
      item.command = "asdlc-kb.showRules";
      item.backgroundColor = undefined;
    }
    if (problem !== "" || (uri?.scheme === "file" && findRoot(projects, uri.fsPath) !== undefined)) {
      item.show();
    } else {
      item.hide();
    }
  };

  context.subscriptions.push(item, registration.onDidChange(update), window.onDidChangeActiveTextEditor(update));
  update();
}

module.exports = { showStatus };
