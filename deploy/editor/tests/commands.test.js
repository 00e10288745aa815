"use strict";
/** The commands, with a program that prints what the test says. tests/editor runs the real one. */

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, beforeEach, test } = require("node:test");

const { start } = require("../src/start");
const { Editor, uriOf } = require("./stand-in");

const ROOT = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "asdlc-kb-")));
after(() => fs.rmSync(ROOT, { recursive: true }));

const PROJECT = path.join(ROOT, "my web");
fs.mkdirSync(PROJECT);
fs.writeFileSync(path.join(PROJECT, "AGENTS.md"), "Be brief.");
const EMPTY = path.join(ROOT, "empty");
fs.mkdirSync(EMPTY);

/** Prints and exits as `answer.json` says, and writes down how it was called. */
const COMMAND = path.join(ROOT, "asdlc-kb");
fs.writeFileSync(
  COMMAND,
  `#!${process.execPath}
const fs = require("node:fs");
const { stdout, stderr, code } = JSON.parse(fs.readFileSync(__dirname + "/answer.json", "utf8"));
const input = fs.readFileSync(0, "utf8");
const call = { args: process.argv.slice(2), input, cwd: process.cwd() };
fs.appendFileSync(__dirname + "/calls.jsonl", JSON.stringify(call) + "\\n");
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
`,
  { mode: 0o755 },
);

const CALLS = path.join(ROOT, "calls.jsonl");

beforeEach(() => fs.rmSync(CALLS, { force: true }));

/** @param {{ stdout?: string, stderr?: string, code?: number }} answer */
function setAnswer({ stdout = "", stderr = "", code = 0 }) {
  fs.writeFileSync(path.join(ROOT, "answer.json"), JSON.stringify({ stdout, stderr, code }));
}

/** @returns {any[]} */
function readCalls() {
  const text = fs.existsSync(CALLS) ? fs.readFileSync(CALLS, "utf8").trim() : "";
  return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line));
}

/**
 * @param {"cursor" | "code" | "neither"} kind
 * @param {{ folders?: string[], settings?: Record<string, unknown> }} [opened]
 */
function begin(kind, { folders = [PROJECT], settings = {} } = {}) {
  const editor = new Editor(kind, { folders, settings: { command: COMMAND, ...settings } });
  start(editor.api, editor.context);
  return editor;
}

const RULES = [
  { name: "typescript", path: ".cursor/rules/typescript.mdc", reason: "pattern", why: "matches **/*.ts", tools: ["cursor", "cline"] },
  { name: "AGENTS.md", path: "AGENTS.md", reason: "folder", why: "for all in the project" },
  { name: "tests", path: ".cursor/rules/tests.mdc", reason: "requested", why: "read it", description: "How to test" },
];

/**
 * @param {object} result
 * @param {object} [rest]
 */
const answerOf = (result, rest = {}) => `${JSON.stringify({ jsonrpc: "2.0", id: 1, result, ...rest })}\n`;

/** @param {unknown} rules @param {...string} notes */
const rulesOf = (rules, ...notes) =>
  answerOf({ content: [JSON.stringify(rules), ...notes].map((text) => ({ type: "text", text })) });

const FILE = uriOf(path.join(PROJECT, "src", "a.ts"));

test("the rules of a file are listed by why they apply, and the selected one is opened", async () => {
  setAnswer({ stdout: rulesOf(RULES, "3 of 9 rules shown") });
  const editor = begin("code");
  await editor.run("showRules", FILE);
  const [{ items, placeHolder }] = editor.lists;
  assert.equal(placeHolder, `What applies to ${path.join("src", "a.ts")}. 3 of 9 rules shown`);
  assert.deepEqual(
    items.map((/** @type {any} */ { label, description, detail }) => [label, description, detail]),
    [
      ["applies", undefined, undefined],
      ["typescript", "matches **/*.ts", ".cursor/rules/typescript.mdc · cursor, cline"],
      ["AGENTS.md", "for all in the project", "AGENTS.md"],
      ["applies if its description fits the task", undefined, undefined],
      ["tests", "", ".cursor/rules/tests.mdc · How to test"],
    ],
  );
  assert.deepEqual(editor.opened, [`file:${path.join(PROJECT, ".cursor/rules/typescript.mdc")}`]);
  assert.deepEqual(editor.shown, []);
});

test("the server is started for the project of the file, outside of it", async () => {
  setAnswer({ stdout: rulesOf(RULES) });
  const editor = begin("code", { settings: { url: "http://127.0.0.1:8420/mcp" } });
  editor.activate(FILE);
  await editor.run("showRules");
  const [{ args, input, cwd }] = readCalls();
  assert.deepEqual(args, ["stdio", "--project", PROJECT]);
  const { method, params } = JSON.parse(input);
  assert.deepEqual([method, params.name, params.arguments], ["tools/call", "rules_for_path", { path: FILE.fsPath }]);
  assert.equal(cwd, fs.realpathSync(path.join(__dirname, "..")));
});

test("a folder without instructions has rules to show: none", async () => {
  setAnswer({ stdout: rulesOf([]) });
  const editor = begin("code", { folders: [EMPTY] });
  await editor.run("showRules", uriOf(path.join(EMPTY, "a.ts")));
  assert.deepEqual(editor.shown, ["No rules apply to a.ts."]);
});

test("a file is needed, in a folder that is open", async () => {
  const editor = begin("code");
  await editor.run("showRules");
  for (const uri of [uriOf("/elsewhere/a.ts"), uriOf(FILE.fsPath, "untitled"), uriOf(PROJECT)]) {
    await editor.run("showRules", uri);
  }
  assert.deepEqual(new Set(editor.shown), new Set(["Open a file of the workspace to see which rules apply to it."]));
  assert.equal(editor.shown.length, 4);
  assert.deepEqual(readCalls(), []);
});

for (const [title, answer, message] of /** @type {[string, { stdout?: string, stderr?: string, code?: number }, string][]} */ ([
  ["a failed start", { stderr: "{}\nasdlc-kb: no such option\n", code: 2 }, "asdlc-kb: no such option"],
  ["silence", { code: 3 }, "asdlc-kb ended with exit code 3"],
  ["an error of the tool", { stdout: answerOf({ isError: true, content: [{ text: "Project not found" }] }) }, "Project not found"],
  ["an error of the protocol", { stdout: `${JSON.stringify({ id: 1, error: { message: "Unknown tool" } })}\n` }, "Unknown tool"],
])) {
  test(`${title} is shown and logged`, async () => {
    setAnswer(answer);
    const editor = begin("code");
    editor.answer = "Show log";
    await editor.run("showRules", FILE);
    assert.deepEqual(editor.shown, [message]);
    assert.deepEqual(editor.log, [message]);
    assert.deepEqual(editor.opened, ["log"]);
  });
}

const PROBLEM = { path: ".cursor/rules/a.mdc", line: 2, column: 8, code: "KB040", message: "put it in quotes" };

test("problems are shown where they are", async () => {
  setAnswer({ stdout: JSON.stringify([PROBLEM, { ...PROBLEM, line: 3 }]), code: 1 });
  const editor = begin("code");
  editor.answer = "Show problems";
  await editor.run("check");
  const [{ args, cwd }] = readCalls();
  assert.deepEqual(args, ["check", "--project", PROJECT, "--json"]);
  assert.equal(cwd, fs.realpathSync(path.join(__dirname, "..")));
  const [[file, found]] = /** @type {[[string, any[]]]} */ ([...editor.problems]);
  assert.equal(file, path.join(PROJECT, PROBLEM.path));
  assert.deepEqual(found.map(({ range, code, source }) => [range.line, range.column, code, source]), [
    [1, 7, "KB040", "asdlc-kb"],
    [2, 7, "KB040", "asdlc-kb"],
  ]);
  assert.deepEqual(editor.shown, ["asdlc-kb found 2 problems."]);
  assert.deepEqual(editor.executed, [["workbench.actions.view.problems"]]);
  assert.deepEqual(editor.log, [`${PROJECT}: 2 problems`]);
});

test("problems go when a check no longer finds them, after a save of their file too", async () => {
  setAnswer({ stdout: JSON.stringify([PROBLEM]), code: 1 });
  const editor = begin("code");
  await editor.run("check");
  assert.equal(editor.problems.size, 1);
  setAnswer({ stdout: "[]" });
  await editor.save(path.join(PROJECT, "README.md"));
  assert.equal(readCalls().length, 1, "a file without problems starts no check");
  await editor.save(path.join(PROJECT, PROBLEM.path));
  assert.equal(editor.problems.size, 0);
  await editor.run("check");
  assert.equal(editor.shown.at(-1), "asdlc-kb found no problems.");
});

test("a check that fails is shown, and its former problems stay", async () => {
  setAnswer({ stdout: JSON.stringify([PROBLEM]), code: 1 });
  const editor = begin("code");
  await editor.run("check");
  setAnswer({ stderr: "asdlc-kb: it is broken", code: 3 });
  await editor.run("check");
  assert.equal(editor.shown.at(-1), "asdlc-kb: it is broken");
  assert.equal(editor.problems.size, 1);
});

test("a missing program is named by each command", async () => {
  const editor = begin("code", { settings: { command: "asdlc-kb-is-not-here" } });
  const message = editor.shown[0] ?? "";
  await editor.run("check");
  await editor.run("showRules", FILE);
  await editor.run("connect");
  assert.deepEqual(editor.shown, [message, message, message, message]);
});

test("connect registers again and offers the configuration for others", async () => {
  const editor = begin("cursor");
  editor.answer = "Copy configuration";
  await editor.run("connect");
  assert.deepEqual(editor.calls, ["register asdlc", "unregister asdlc", "register asdlc"]);
  assert.deepEqual(editor.shown, ["asdlc-kb is registered with Stand-in: my web."]);
  const server = { command: COMMAND, args: ["stdio", "--project", PROJECT] };
  assert.deepEqual(JSON.parse(editor.clipboard), { mcpServers: { asdlc: server } });
});

test("connect leads to the servers of VS Code", async () => {
  const editor = begin("code");
  editor.answer = "Show MCP servers";
  await editor.run("connect");
  assert.deepEqual(editor.executed, [["workbench.mcp.listServer"]]);
});

test("connect names what is to be done by hand", async () => {
  const editor = begin("neither");
  await editor.run("connect");
  const [first, second] = editor.shown;
  assert.match(first ?? "", /^This editor accepts no MCP servers/);
  assert.equal(second, first);
});

test("without instructions, connect and check offer a guide, which the user saves", async () => {
  const editor = begin("code", { folders: [EMPTY] });
  editor.answer = "Create AGENTS.md";
  await editor.run("connect");
  await editor.run("check");
  const guide = `untitled:${path.join(EMPTY, "AGENTS.md")}`;
  assert.deepEqual(editor.opened, [guide, guide]);
  assert.match(editor.shown[0] ?? "", /^No folder of this workspace has instructions for agents/);
  assert.deepEqual(readCalls(), []);
});
