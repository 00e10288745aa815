"use strict";
/** The commands of the extension: connect, show what applies to a file, check. */

const path = require("node:path");
const { ShownProblems, checkProject } = require("./checks");
const { findRoot } = require("./detection");
const { BY_HAND, COPY, formatConfiguration } = require("./registrars");
const { findRules } = require("./rules");

/** @typedef {typeof import("vscode")} Editor */
/** @typedef {import("vscode").Uri} Uri */
/** @typedef {InstanceType<typeof import("./registration")["Registration"]>} Registration */
/** @typedef {import("vscode").QuickPickItem & { uri?: Uri }} Item */

const CREATE = "Create AGENTS.md";
const SERVERS = "Show MCP servers";
const PROBLEMS = "Show problems";
const LOG = "Show log";

const NOTHING = "No folder of this workspace has instructions for agents, such as AGENTS.md or .cursor/rules.";

class Commands {
  #vscode;
  #registration;
  #cwd;
  #log;
  #problems;

  /**
   * @param {Editor} vscode
   * @param {import("vscode").ExtensionContext} context
   * @param {Registration} registration
   */
  constructor(vscode, context, registration) {
    this.#vscode = vscode;
    this.#registration = registration;
    this.#cwd = context.extensionPath;
    this.#log = vscode.window.createOutputChannel("asdlc-kb", { log: true });
    this.#problems = new ShownProblems(vscode);
    context.subscriptions.push(
      this.#log,
      this.#problems,
      vscode.commands.registerCommand("asdlc-kb.connect", () => this.#connect()),
      vscode.commands.registerCommand("asdlc-kb.showRules", (uri) => this.#report(() => this.#showRules(uri))),
      vscode.commands.registerCommand("asdlc-kb.check", () => this.#report(() => this.#check())),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#checkAgain(uri)),
    );
  }

  /** Register the server again and show the result. */
  async #connect() {
    const { commands, env, window } = this.#vscode;
    this.#registration.repeat();
    const { problem, projects, server } = this.#registration.state;
    if (problem !== "") {
      return;
    }
    if (server === undefined) {
      await this.#offerGuide();
      return;
    }
    const { isManual, listCommand } = this.#registration.registrar;
    const served = "url" in server ? server.url : projects.map((folder) => path.basename(folder)).join(", ");
    const text = isManual ? BY_HAND : `asdlc-kb is registered with ${env.appName}${served && `: ${served}`}.`;
    const answer = await window.showInformationMessage(text, COPY, ...(listCommand ? [SERVERS] : []));
    if (answer === COPY) {
      await env.clipboard.writeText(formatConfiguration(server));
    } else if (answer === SERVERS && listCommand) {
      await commands.executeCommand(listCommand);
    }
  }

  /** Show the rules that apply to a file, and open the selected one. */
  async #showRules(/** @type {Uri | undefined} */ uri = this.#vscode.window.activeTextEditor?.document.uri) {
    const { window } = this.#vscode;
    const file = uri?.scheme === "file" ? uri.fsPath : undefined;
    const root = file === undefined ? undefined : findRoot(this.#registration.findRoots(), file);
    if (file === undefined || root === undefined) {
      window.showInformationMessage("Open a file of the workspace to see which rules apply to it.");
      return;
    }
    const program = this.#registration.findProgram();
    const { rules, notes } = await this.#showProgress("Finding rules", () => findRules(program, root, file, this.#cwd));
    const name = path.relative(root, file);
    if (rules.length === 0) {
      window.showInformationMessage(`No rules apply to ${name}.`);
      return;
    }
    const requested = rules.filter(({ reason }) => reason === "requested");
    const items = [
      ...this.#describeRules("applies", rules.filter((rule) => !requested.includes(rule)), root),
      ...this.#describeRules("applies if its description fits the task", requested, root),
    ];
    const placeHolder = [`What applies to ${name}`, ...notes].join(". ");
    const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
    const item = await window.showQuickPick(items, options);
    if (item?.uri) {
      await window.showTextDocument(item.uri);
    }
  }

  /** Check every project and show the problems. */
  async #check() {
    const { commands, window } = this.#vscode;
    const { projects } = this.#registration.state;
    if (projects.length === 0) {
      await this.#offerGuide();
      return;
    }
    const program = this.#registration.findProgram();
    let count = 0;
    await this.#showProgress("Checking files for agents", async () => {
      for (const project of projects) {
        count += await this.#checkProject(program, project);
      }
    });
    if (count === 0) {
      window.showInformationMessage("asdlc-kb found no problems.");
    } else if ((await window.showWarningMessage(`asdlc-kb found ${formatCount(count)}.`, PROBLEMS)) === PROBLEMS) {
      await commands.executeCommand("workbench.actions.view.problems");
    }
  }

  /**
   * Check a project, show its problems and return their number.
   *
   * @param {string} program
   * @param {string} project
   */
  async #checkProject(program, project) {
    const problems = await checkProject(program, project, this.#cwd);
    this.#problems.show(project, problems);
    this.#log.info(`${project}: ${formatCount(problems.length)}`);
    return problems.length;
  }

  /** Check a project again when a file that has problems is saved. */
  async #checkAgain(/** @type {Uri} */ uri) {
    const project = this.#problems.findProject(uri.fsPath);
    if (project !== undefined) {
      await this.#report(() => this.#checkProject(this.#registration.findProgram(), project));
    }
  }

  /** Offer a new AGENTS.md, which is not written before the user saves it. */
  async #offerGuide() {
    const { Uri, window, workspace } = this.#vscode;
    const [folder] = workspace.workspaceFolders ?? [];
    if ((await window.showInformationMessage(NOTHING, ...(folder ? [CREATE] : []))) === CREATE && folder) {
      const guide = Uri.joinPath(folder.uri, "AGENTS.md").with({ scheme: "untitled" });
      await window.showTextDocument(guide);
    }
  }

  /**
   * @param {string} heading
   * @param {import("./rules").Rule[]} rules
   * @param {string} root
   * @returns {Item[]}
   */
  #describeRules(heading, rules, root) {
    const { QuickPickItemKind, Uri } = this.#vscode;
    const items = rules.map((rule) => ({
      label: rule.name,
      description: rule.reason === "requested" ? "" : rule.why,
      detail: [rule.path, rule.description, rule.tools?.join(", ")].filter(Boolean).join(" · "),
      uri: Uri.file(path.join(root, rule.path)),
    }));
    return items.length === 0 ? [] : [{ label: heading, kind: QuickPickItemKind.Separator }, ...items];
  }

  /**
   * @template T
   * @param {string} title
   * @param {() => Promise<T>} work
   */
  #showProgress(title, work) {
    const { ProgressLocation, window } = this.#vscode;
    return window.withProgress({ location: ProgressLocation.Window, title }, work);
  }

  /**
   * Do some work; log and show its failure.
   *
   * @param {() => Promise<unknown>} work
   */
  async #report(work) {
    try {
      await work();
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.#log.error(message);
      if ((await this.#vscode.window.showErrorMessage(message, LOG)) === LOG) {
        this.#log.show();
      }
    }
  }
}

/** @param {number} count */
function formatCount(count) {
  return `${count} ${count === 1 ? "problem" : "problems"}`;
}

module.exports = { Commands };
