"use strict";
/** Which folders are projects. */

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const { WATCHED, findRoot, looksLikeProject } = require("../src/detection");

/**
 * A folder with these files.
 *
 * @param {import("node:test").TestContext} context
 * @param {...string} files
 */
function makeFolder(context, ...files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "asdlc-kb-"));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), "Be brief.");
  }
  return folder;
}

for (const file of [
  "AGENTS.md",
  "CLAUDE.md",
  ".cursorrules",
  ".cursor/rules/style.mdc",
  ".claude/commands/web/test.md",
  ".agents/skills/pdf/SKILL.md",
  "skills/pdf/SKILL.md",
  "specs/login/spec.md",
  "GEMINI.md",
  ".github/copilot-instructions.md",
  ".clinerules",
  ".clinerules/style.md",
  ".roo/rules-code/style.md",
]) {
  test(`${file} makes a project`, (context) => {
    assert.equal(looksLikeProject(makeFolder(context, file), "/home/you"), true);
  });
}

for (const file of [
  "README.md",
  ".cursor/mcp.json",
  ".claude/settings.json",
  ".cursor/rules/.gitkeep",
  "skills/README.md",
  "skills/pdf/README.md",
  "specs/login.spec.js",
  "schemas/user.json",
  ".roo/rule-code/style.md",
  "AGENTS.md/README.md",
]) {
  test(`${file} makes none`, (context) => {
    assert.equal(looksLikeProject(makeFolder(context, file), "/home/you"), false);
  });
}

test("a folder that is missing is none", () => {
  assert.equal(looksLikeProject("/none", "/home/you"), false);
});

test("a home directory and the folders above it are none, by any path", (context) => {
  const folder = makeFolder(context, "AGENTS.md", "you/AGENTS.md", "you/code/AGENTS.md");
  const home = path.join(folder, "you");
  fs.symlinkSync(home, path.join(folder, "link"));
  assert.equal(looksLikeProject(folder, home), false);
  assert.equal(looksLikeProject(home, home), false);
  assert.equal(looksLikeProject(path.join(folder, "link"), home), false);
  assert.equal(looksLikeProject(path.join(home, "code"), home), true);
});

test("each place is watched, with the folders that hold it", () => {
  const watched = WATCHED.slice(1, -1).split(",");
  for (const pattern of ["AGENTS.md", ".cursor", ".cursor/**", ".claude", "skills/**", "specs", "specs/**"]) {
    assert.ok(watched.includes(pattern), pattern);
  }
  assert.equal(new Set(watched).size, watched.length);
});

test("the nearest folder that contains a file is its root", () => {
  const roots = ["/a", "/a/packages/api", "/b"];
  assert.equal(findRoot(roots, "/a/packages/api/x.ts"), "/a/packages/api");
  assert.equal(findRoot(roots, "/a/packages/apis/x.ts"), "/a");
  assert.equal(findRoot(roots, "/c/x.ts"), undefined);
  assert.equal(findRoot(roots, "/a"), undefined, "a folder is not in itself");
  assert.deepEqual(roots, ["/a", "/a/packages/api", "/b"]);
});
