"use strict";
/** The server that settings and projects describe. */

const assert = require("node:assert/strict");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const { BadSetting, describeServer, readProjects } = require("../src/server");
const { DEFAULTS } = require("./stand-in");

/** @param {Record<string, unknown>} settings */
const read = (settings) => (/** @type {string} */ name) => ({ ...DEFAULTS, ...settings })[name];

/**
 * @param {Record<string, unknown>} settings
 * @param {string[]} projects
 */
const describe = (settings, projects = []) => describeServer(read(settings), projects);

test("every project is an argument", () => {
  assert.deepEqual(describe({}, ["/a/api", "/a/my web"]), {
    command: "asdlc-kb",
    args: ["stdio", "--project", "/a/api", "--project", "/a/my web"],
  });
});

test("the setting names projects, below the home directory too", () => {
  assert.deepEqual(readProjects(read({ projects: ["/b", "~/c"] })), ["/b", path.join(os.homedir(), "c")]);
  assert.deepEqual(readProjects(read({})), []);
});

test("further arguments come last, as they are", () => {
  const args = ["--docs", "/d", "--", "-content"];
  assert.deepEqual(describe({ args, command: "~/.venv/bin/asdlc-kb" }, ["/a"]), {
    command: path.join(os.homedir(), ".venv/bin/asdlc-kb"),
    args: ["stdio", "--project", "/a", ...args],
  });
});

test("without a project there is only what the arguments name", () => {
  assert.equal(describe({}), undefined);
  assert.deepEqual(describe({ args: ["/content"] }), { command: "asdlc-kb", args: ["stdio", "/content"] });
});

test("an address takes precedence over everything else", () => {
  const url = "https://example.com/kb/mcp";
  assert.deepEqual(describe({ url: ` ${url} ` }), { url });
  assert.deepEqual(describe({ url, command: "", projects: ["x"] }, ["/a"]), { url });
});

for (const [name, value] of /** @type {[string, unknown][]} */ ([
  ["command", ""],
  ["command", "  "],
  ["command", 7],
  ["command", null],
  ["command", "venv/bin/asdlc-kb"],
  ["command", "./asdlc-kb"],
  ["command", "~other/asdlc-kb"],
  ["args", "--docs /d"],
  ["args", ["--docs", 7]],
  ["args", [""]],
  ["args", null],
  ["projects", "/a"],
  ["projects", ["packages/api"]],
  ["projects", [".", "/a"]],
  ["projects", [null]],
  ["projects", [""]],
  ["url", "127.0.0.1:8420/mcp"],
  ["url", "file:///etc/passwd"],
  ["url", "http://"],
  ["url", ["http://127.0.0.1:8420/mcp"]],
])) {
  test(`${name} cannot be ${JSON.stringify(value)}`, () => {
    assert.throws(
      () => [describe({ [name]: value }, ["/a"]), readProjects(read({ [name]: value }))],
      (error) => error instanceof BadSetting && error.message.startsWith(`The setting asdlc-kb.${name} must be `),
    );
  });
}
