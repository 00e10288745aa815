"use strict";
/** The rules that apply to a file, from the tool `rules_for_path` of a server that is started for the call. */

const { describeFailure, runProgram } = require("./program");

/**
 * A row of the answer of `rules_for_path`.
 *
 * @typedef {object} Rule
 * @property {string} name
 * @property {string} path  Relative to the project.
 * @property {string} reason  `requested`: it applies if its description fits the task.
 * @property {string} why
 * @property {string} [description]
 * @property {string[]} [tools]  The tools that load it.
 */

/** @typedef {{ rules: Rule[], notes: string[] }} Rules  Notes say what was left out. */

const VERSION = "2026-07-28";

/**
 * Return the rules that apply to a file, nearest first; the file need not exist.
 *
 * @param {string} program
 * @param {string} project
 * @param {string} file  Its path, absolute.
 * @param {string} cwd
 * @returns {Promise<Rules>}
 */
async function findRules(program, project, file, cwd) {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "rules_for_path",
      arguments: { path: file },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": { name: "asdlc-kb-editor", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  const result = await runProgram(program, ["stdio", "--project", project], cwd, `${JSON.stringify(request)}\n`);
  const line = result.stdout.split("\n").find((text) => text.includes('"id":1'));
  if (line === undefined) {
    throw new Error(describeFailure(result));
  }
  const answer = JSON.parse(line);
  const texts = answer.result?.content?.map((/** @type {{ text: string }} */ { text }) => text) ?? [];
  if (answer.error || answer.result.isError) {
    throw new Error(answer.error?.message ?? texts[0]);
  }
  const [rules = "[]", ...notes] = texts;
  return { rules: JSON.parse(rules), notes };
}

module.exports = { findRules };
