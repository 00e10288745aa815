"use strict";
/** What is registered, by settings and folders. */

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const { BadSetting, describeServer, isInstalled } = require("../src/server");
const { DEFAULTS } = require("./stand-in");

/**
 * @param {Record<string, unknown>} settings  Those that somebody set.
 * @param {string[]} folders
 */
const describe = (settings, folders = []) => describeServer((name) => ({ ...DEFAULTS, ...settings })[name], folders);

/** @param {(folder: string) => void} use */
function withFolder(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "asdlc-kb-"));
  try {
    use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test("every folder of the workspace is a project", () => {
  assert.deepEqual(describe({}, ["/a/api", "/a/my web"]), {
    command: "asdlc-kb",
    args: ["stdio", "--project", "/a/api", "--project", "/a/my web"],
  });
});

test("the setting names other projects", () => {
  assert.deepEqual(describe({ projects: ["/b", "~/c"] }, ["/a"]), {
    command: "asdlc-kb",
    args: ["stdio", "--project", "/b", "--project", path.join(os.homedir(), "c")],
  });
});

test("further arguments come last, as they are", () => {
  const args = ["--docs", "/d", "--", "-content"];
  assert.deepEqual(describe({ args, command: "~/.venv/bin/asdlc-kb" }, ["/a"]), {
    command: path.join(os.homedir(), ".venv/bin/asdlc-kb"),
    args: ["stdio", "--project", "/a", ...args],
  });
});

test("without a folder there is only what the arguments name", () => {
  assert.equal(describe({}), undefined);
  assert.deepEqual(describe({ args: ["/content"] }), { command: "asdlc-kb", args: ["stdio", "/content"] });
});

test("an address stands before everything else", () => {
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
      () => describe({ [name]: value }, ["/a"]),
      (error) => error instanceof BadSetting && error.message.startsWith(`The setting asdlc-kb.${name} must be `),
    );
  });
}

test("a command is looked for where the editor would find it", () => {
  withFolder((folder) => {
    const program = path.join(folder, "asdlc-kb");
    fs.writeFileSync(program, "", { mode: 0o755 });
    fs.writeFileSync(path.join(folder, "no-program"), "", { mode: 0o644 });
    fs.mkdirSync(path.join(folder, "folder"));
    const searched = ["/none", folder].join(path.delimiter);
    assert.equal(isInstalled("asdlc-kb", searched), true);
    assert.equal(isInstalled(program, ""), true);
    for (const command of ["none", "no-program", "folder", path.join(folder, "none"), folder]) {
      assert.equal(isInstalled(command, searched), false, command);
    }
  });
});

test("an empty place of PATH is not the working directory", () => {
  withFolder((folder) => {
    fs.writeFileSync(path.join(folder, "asdlc-kb"), "", { mode: 0o755 });
    const before = process.cwd();
    process.chdir(folder);
    try {
      assert.equal(isInstalled("asdlc-kb", ""), false);
      assert.equal(isInstalled("asdlc-kb", path.delimiter), false);
    } finally {
      process.chdir(before);
    }
  });
});
