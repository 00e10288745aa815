"use strict";
/** `asdlc-kb check` of projects: its problems in the editor's Problems panel. */

const path = require("node:path");
const { describeFailure, runProgram } = require("./program");

/** @typedef {{ path: string, line: number, column: number, code: string, message: string }} Problem */
/** @typedef {typeof import("vscode")} Editor */
/** @typedef {import("vscode").Diagnostic} Diagnostic */

/** The name of the problems' source in the editor. */
const SOURCE = "asdlc-kb";

/** The exit code of a check that found problems; higher ones are failures. */
const FOUND = 1;

/**
 * Return the problems of a project's files for agents.
 *
 * @param {string} program
 * @param {string} project
 * @param {string} cwd  A folder without content: the check reads that of its working directory too.
 * @returns {Promise<Problem[]>}
 */
async function checkProject(program, project, cwd) {
  const result = await runProgram(program, ["check", "--project", project, "--json"], cwd);
  if (result.code > FOUND) {
    throw new Error(describeFailure(result));
  }
  return JSON.parse(result.stdout);
}

/** The problems that are shown, by project. */
class ShownProblems {
  #vscode;
  #collection;
  /** @type {Map<string, Map<string, Diagnostic[]>>} By project, then by file. */
  #projects = new Map();

  /** @param {Editor} vscode */
  constructor(vscode) {
    this.#vscode = vscode;
    this.#collection = vscode.languages.createDiagnosticCollection(SOURCE);
  }

  /**
   * Show the problems of a project in place of its former ones.
   *
   * @param {string} project
   * @param {Problem[]} problems
   */
  show(project, problems) {
    const former = this.#projects.get(project) ?? new Map();
    const next = new Map();
    for (const problem of problems) {
      const file = path.join(project, problem.path);
      next.set(file, [...(next.get(file) ?? []), this.#describe(problem)]);
    }
    this.#projects.set(project, next);
    for (const file of new Set([...former.keys(), ...next.keys()])) {
      this.#collection.set(this.#vscode.Uri.file(file), next.get(file) ?? []);
    }
  }

  /**
   * Return the project whose problems include some of this file.
   *
   * @param {string} file
   */
  findProject(file) {
    return [...this.#projects].find(([, files]) => files.has(file))?.[0];
  }

  dispose() {
    this.#collection.dispose();
  }

  /** @param {Problem} problem */
  #describe({ line, column, code, message }) {
    const { Diagnostic, DiagnosticSeverity, Range } = this.#vscode;
    const range = new Range(line - 1, column - 1, line - 1, column - 1);
    const diagnostic = new Diagnostic(range, message, DiagnosticSeverity.Warning);
    return Object.assign(diagnostic, { code, source: SOURCE });
  }
}

module.exports = { ShownProblems, checkProject };
