"use strict";
/** What each editor is given, and what its user is told, from the start to the end. */

const assert = require("node:assert/strict");
const { test } = require("node:test");
const { setImmediate: settle } = require("node:timers/promises");

const { start } = require("../src/start");
const { Editor } = require("./stand-in");

/** There is such a command on every machine that runs this. */
const command = process.execPath;

/** @param {string[]} folders */
const program = (...folders) => ({
  command,
  args: ["stdio", ...folders.flatMap((folder) => ["--project", folder])],
});

/** @param {string} folder */
const onDisk = (folder) => ({ scheme: "file", fsPath: folder });

/**
 * @param {"cursor" | "code" | "neither"} kind
 * @param {{ folders?: string[], settings?: Record<string, unknown> }} [opened]
 */
function begin(kind, { folders = ["/a"], settings = {} } = {}) {
  const editor = new Editor(kind, { folders, settings: { command, ...settings } });
  start(editor.api, editor.context);
  return editor;
}

test("Cursor is given the server under its name, and takes it back at the end", () => {
  const editor = begin("cursor", { folders: ["/a", "/b"] });
  assert.deepEqual([...editor.registered], [["asdlc", { ...program("/a", "/b"), env: {} }]]);
  assert.equal(editor.providers.size, 0, "one way is enough");
  editor.end();
  assert.deepEqual(editor.calls, ["register asdlc", "unregister asdlc"]);
  assert.equal(editor.listeners, 0);
  assert.deepEqual(editor.said, []);
});

test("Cursor is given an address as it is", () => {
  const url = "http://127.0.0.1:8420/mcp";
  assert.deepEqual(begin("cursor", { settings: { url } }).registered.get("asdlc"), { url });
});

test("Cursor is given the server anew when folders or settings change, and only then", () => {
  const editor = begin("cursor");
  editor.open([onDisk("/a"), onDisk("/b")]);
  assert.deepEqual(editor.registered.get("asdlc"), { ...program("/a", "/b"), env: {} });
  editor.open([onDisk("/a"), onDisk("/b")]);
  editor.configure({ command, args: ["--debug"] }, "editor.fontSize");
  const twice = ["register asdlc", "unregister asdlc", "register asdlc"];
  assert.deepEqual(editor.calls, twice);
  editor.configure({ command, projects: ["/c"] });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program("/c"), env: {} });
  editor.configure({ command });
  editor.open([]);
  assert.equal(editor.registered.size, 0);
  editor.end();
  assert.equal(editor.calls.length, 8, "what is taken back already is not taken back again");
});

test("VS Code is given the server when it asks, and told when to ask again", () => {
  const editor = begin("code");
  assert.deepEqual([...editor.providers.keys()], ["asdlc-kb"]);
  const given = { label: "asdlc", env: {}, version: "1.2.3" };
  assert.deepEqual(editor.ask().map((one) => ({ ...one })), [{ ...given, ...program("/a") }]);
  const before = editor.fired;
  editor.open([onDisk("/b")]);
  assert.equal(editor.fired, before + 1);
  assert.deepEqual(editor.ask()[0].args, program("/b").args);
  editor.open([onDisk("/b")]);
  assert.equal(editor.fired, before + 1, "nothing changed");
  editor.open([]);
  assert.deepEqual(editor.ask(), []);
  editor.end();
  assert.equal(editor.providers.size, 0);
  assert.equal(editor.listeners, 0);
});

test("VS Code is given an address as a definition of its kind", () => {
  const [one] = begin("code", { settings: { url: "http://127.0.0.1:8420/mcp" } }).ask();
  assert.equal(one.constructor.name, "McpHttpServerDefinition");
  assert.equal(String(one.uri), "http://127.0.0.1:8420/mcp");
  assert.equal(one.version, "1.2.3");
});

test("a folder that is not on the disk is no project", () => {
  const editor = begin("cursor");
  editor.open([{ scheme: "vscode-vfs", fsPath: "/remote" }, onDisk("/b")]);
  assert.deepEqual(editor.registered.get("asdlc"), { ...program("/b"), env: {} });
});

test("nothing is registered where nothing is open, and nothing is said", () => {
  for (const kind of /** @type {const} */ (["cursor", "code", "neither"])) {
    const editor = begin(kind, { folders: [] });
    assert.deepEqual([editor.registered.size, editor.ask(), editor.said], [0, [], []]);
  }
});

test("another editor shows its user what to copy, once as long as it stays the same", async () => {
  const editor = new Editor("neither", { folders: ["/a"], settings: { command } });
  editor.answer = "Copy configuration";
  start(editor.api, editor.context);
  await settle();
  assert.deepEqual(JSON.parse(editor.clipboard), { mcpServers: { asdlc: program("/a") } });
  assert.equal(editor.said.length, 1);
  editor.end();
  editor.subscriptions = [];
  start(editor.api, editor.context);
  await settle();
  assert.equal(editor.said.length, 1, "told already");
  editor.answer = undefined;
  editor.open([onDisk("/b")]);
  await settle();
  assert.equal(editor.said.length, 2);
  assert.match(editor.clipboard, /"\/a"/, "nothing is copied unasked");
});

test("a bad setting is told with a way to mend it, and nothing is registered until it is", async () => {
  const editor = begin("cursor", { settings: { command: "" } });
  assert.deepEqual(editor.said, ["The setting asdlc-kb.command must be the name of a command or an absolute path."]);
  assert.deepEqual(editor.calls, []);
  editor.open([onDisk("/b")]);
  assert.equal(editor.said.length, 1, "told once");
  editor.answer = "Open settings";
  editor.configure({ command, url: "nonsense" });
  await settle();
  assert.deepEqual(editor.executed, [["workbench.action.openSettings", "asdlc-kb"]]);
  assert.match(editor.said[1] ?? "", /^The setting asdlc-kb\.url must be an address/);
  editor.configure({ command });
  assert.deepEqual(editor.registered.get("asdlc"), { ...program("/b"), env: {} });
  editor.configure({ command: 7 });
  assert.equal(editor.registered.size, 0);
  assert.equal(editor.said.length, 3);
});

test("a command that is missing is told, and registered all the same: it may be installed any time", () => {
  const editor = begin("code", { settings: { command: "asdlc-kb-is-not-here" } });
  assert.deepEqual(editor.said, [
    "Command not found: asdlc-kb-is-not-here. Install asdlc-kb, or set asdlc-kb.command to its path.",
  ]);
  assert.equal(editor.ask().length, 1);
});

test("an error of our own is not taken for a bad setting", () => {
  const editor = new Editor("cursor", { folders: ["/a"] });
  const api = editor.api;
  api.workspace.getConfiguration = () => ({
    get: () => {
      throw new RangeError("ours");
    },
  });
  assert.throws(() => start(api, editor.context), RangeError);
});
