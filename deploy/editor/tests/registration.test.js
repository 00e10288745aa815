"use strict";
/** What each editor gets, and what its user sees, from the start to the end. */

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, test } = require("node:test");
const { setImmediate: settle } = require("node:timers/promises");

const { DELAY_MS } = require("../src/registration");
const { start } = require("../src/start");
const { Editor, uriOf } = require("./stand-in");

/** A program that every machine has which runs this. */
const command = process.execPath;

const ROOT = fs.mkdtempSync(path.join(os.tmpdir(), "asdlc-kb-"));
after(() => fs.rmSync(ROOT, { recursive: true }));

/** Return a folder that is a project. @param {string} name */
function project(name) {
  const folder = path.join(ROOT, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "AGENTS.md"), "Be brief.");
  return folder;
}

const [A, B, C] = [project("a"), project("b"), project("c")];
const EMPTY = path.join(ROOT, "empty");
fs.mkdirSync(EMPTY);

/** @param {string[]} folders */
const program = (...folders) => ({
  command,
  args: ["stdio", ...folders.flatMap((folder) => ["--project", folder])],
});

/**
 * @param {"cursor" | "code" | "neither"} kind
 * @param {{ folders?: string[], settings?: Record<string, unknown> }} [opened]
 */
function begin(kind, { folders = [A], settings = {} } = {}) {
  const editor = new Editor(kind, { folders, settings: { command, ...settings } });
  start(editor.api, editor.context);
  return editor;
}

test("Cursor gets the server under its name, until the end", () => {
  const editor = begin("cursor", { folders: [A, B] });
  assert.deepEqual([...editor.registered], [["asdlc", { ...program(A, B), env: {} }]]);
  assert.equal(editor.providers.size, 0, "one way is enough");
  editor.end();
  assert.deepEqual(editor.calls, ["register asdlc", "unregister asdlc"]);
  assert.equal(editor.listeners, 0);
  assert.equal(editor.commands.size, 0);
  assert.deepEqual(editor.shown, []);
});

test("Cursor gets an address as it is", () => {
  const url = "http://127.0.0.1:8420/mcp";
  assert.deepEqual(begin("cursor", { settings: { url } }).registered.get("asdlc"), { url });
});

test("Cursor gets the server again when folders or settings change, and only then", () => {
  const editor = begin("cursor");
  editor.open([uriOf(A), uriOf(B)]);
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(A, B), env: {} });
  editor.open([uriOf(A), uriOf(B)]);
  editor.configure({ command, args: ["--debug"] }, "editor.fontSize");
  const twice = ["register asdlc", "unregister asdlc", "register asdlc"];
  assert.deepEqual(editor.calls, twice);
  editor.configure({ command, projects: [C] });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(C), env: {} });
  editor.configure({ command });
  editor.open([]);
  assert.equal(editor.registered.size, 0);
  editor.end();
  assert.equal(editor.calls.length, 8, "a removed server is not removed again");
  assert.equal(editor.listeners, 0);
});

test("VS Code gets the server on request, and an event when to request it again", () => {
  const editor = begin("code");
  assert.deepEqual([...editor.providers.keys()], ["asdlc-kb"]);
  const given = { label: "asdlc", env: {}, version: "1.2.3" };
  assert.deepEqual(editor.ask().map((one) => ({ ...one })), [{ ...given, ...program(A) }]);
  const before = editor.fired;
  editor.open([uriOf(B)]);
  assert.equal(editor.fired, before + 1);
  assert.deepEqual(editor.ask()[0].args, program(B).args);
  editor.open([uriOf(B)]);
  assert.equal(editor.fired, before + 1, "nothing changed");
  editor.open([]);
  assert.deepEqual(editor.ask(), []);
  editor.end();
  assert.equal(editor.providers.size, 0);
  assert.equal(editor.listeners, 0);
});

test("VS Code gets an address as a definition of its kind", () => {
  const [one] = begin("code", { settings: { url: "http://127.0.0.1:8420/mcp" } }).ask();
  assert.equal(one.constructor.name, "McpHttpServerDefinition");
  assert.equal(String(one.uri), "http://127.0.0.1:8420/mcp");
  assert.equal(one.version, "1.2.3");
});

test("a folder that is not on disk is no project", () => {
  const editor = begin("cursor");
  editor.open([uriOf(A, "vscode-vfs"), uriOf(B)]);
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(B), env: {} });
});

test("a folder without instructions is no project, unless the setting names it", () => {
  const editor = begin("cursor", { folders: [EMPTY, A] });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(A), env: {} });
  editor.configure({ command, projects: [EMPTY] });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(EMPTY), env: {} });
});

test("nothing is registered where nothing is open or no folder has instructions", () => {
  for (const kind of /** @type {const} */ (["cursor", "code", "neither"])) {
    for (const folders of [[], [EMPTY]]) {
      const editor = begin(kind, { folders });
      assert.deepEqual([editor.registered.size, editor.ask(), editor.shown], [0, [], []]);
    }
  }
});

test("a folder is registered when it gets instructions, and no longer when it loses them", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = path.join(ROOT, "growing");
  fs.mkdirSync(folder);
  const editor = begin("cursor", { folders: [folder] });
  assert.deepEqual(editor.calls, []);
  fs.writeFileSync(path.join(folder, "AGENTS.md"), "Be brief.");
  const before = editor.reads;
  editor.events.created.fire();
  editor.events.created.fire();
  context.mock.timers.tick(DELAY_MS);
  assert.equal(editor.reads, before + 1, "one look for many files");
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(folder), env: {} });
  assert.deepEqual(editor.calls, ["register asdlc"]);
  fs.rmSync(path.join(folder, "AGENTS.md"));
  editor.events.deleted.fire();
  context.mock.timers.tick(DELAY_MS);
  assert.equal(editor.registered.size, 0);
  fs.writeFileSync(path.join(folder, "AGENTS.md"), "Be brief.");
  editor.events.created.fire();
  editor.end();
  context.mock.timers.tick(DELAY_MS);
  assert.equal(editor.registered.size, 0, "nothing happens after the end");
});

test("another editor shows its user what to copy, once as long as it stays the same", async () => {
  const editor = new Editor("neither", { folders: [A], settings: { command } });
  editor.answer = "Copy configuration";
  start(editor.api, editor.context);
  await settle();
  assert.deepEqual(JSON.parse(editor.clipboard), { mcpServers: { asdlc: program(A) } });
  assert.equal(editor.shown.length, 1);
  editor.end();
  editor.subscriptions = [];
  start(editor.api, editor.context);
  await settle();
  assert.equal(editor.shown.length, 1, "shown already");
  editor.answer = undefined;
  editor.open([uriOf(B)]);
  await settle();
  assert.equal(editor.shown.length, 2);
  assert.deepEqual(JSON.parse(editor.clipboard).mcpServers.asdlc, program(A), "nothing is copied without a request");
});

test("a bad setting is shown with a way to correct it, and nothing is registered before that", async () => {
  const editor = begin("cursor", { settings: { command: "" } });
  assert.deepEqual(editor.shown, ["The setting asdlc-kb.command must be the name of a command or an absolute path."]);
  assert.deepEqual(editor.calls, []);
  editor.open([uriOf(B)]);
  assert.equal(editor.shown.length, 1, "shown once");
  editor.answer = "Open settings";
  editor.configure({ command, url: "nonsense" });
  await settle();
  assert.deepEqual(editor.executed, [["workbench.action.openSettings", "asdlc-kb"]]);
  assert.match(editor.shown[1] ?? "", /^The setting asdlc-kb\.url must be an address/);
  editor.configure({ command });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program(B), env: {} });
  editor.configure({ command: 7 });
  assert.equal(editor.registered.size, 0);
  assert.equal(editor.shown.length, 3);
});

test("a missing program is shown, and registered all the same: it may be installed any time", () => {
  const editor = begin("code", { settings: { command: "asdlc-kb-is-not-here" } });
  assert.deepEqual(editor.shown, [
    "Command not found: asdlc-kb-is-not-here. Install asdlc-kb, or set asdlc-kb.command to its path.",
  ]);
  assert.deepEqual(editor.ask()[0].command, "asdlc-kb-is-not-here");
});

test("a program is registered by the path at which it was found", () => {
  const editor = new Editor("code", { folders: [A] });
  const found = "C:\\Users\\you\\.local\\bin\\asdlc-kb.exe";
  const isProgram = (/** @type {string} */ file) => file === found;
  start(editor.api, editor.context, { platform: "win32", env: {}, home: "C:\\Users\\you", isProgram });
  assert.deepEqual({ ...editor.ask()[0] }.command, found);
  assert.deepEqual(editor.shown, []);
});

test("the status bar offers the rules of a file of a project, and shows problems", () => {
  const editor = begin("code", { folders: [A, EMPTY] });
  assert.equal(editor.status.isShown, false, "no file is open");
  editor.activate(uriOf(path.join(A, "x.ts")));
  assert.deepEqual([editor.status.isShown, editor.status.command], [true, "asdlc-kb.showRules"]);
  for (const uri of [uriOf(path.join(EMPTY, "x.ts")), uriOf(path.join(A, "x.ts"), "git"), undefined]) {
    editor.activate(uri);
    assert.equal(editor.status.isShown, false);
  }
  editor.configure({ command: "asdlc-kb-is-not-here" });
  assert.deepEqual([editor.status.isShown, editor.status.command], [true, "asdlc-kb.connect"]);
  assert.match(editor.status.tooltip, /^Command not found/);
  editor.configure({ command });
  assert.equal(editor.status.isShown, false);
});

test("an error of our own does not pass for a bad setting", () => {
  const editor = new Editor("cursor", { folders: [A] });
  const api = editor.api;
  api.workspace.getConfiguration = () => ({
    get: () => {
      throw new RangeError("ours");
    },
  });
  assert.throws(() => start(api, editor.context), RangeError);
});
