"use strict";
/** Where the program is found, on each system, and how it is run. */

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const { HOST, findProgram, runProgram } = require("../src/program");

/**
 * @param {NodeJS.Platform} platform
 * @param {string[]} programs
 * @param {Record<string, string>} [env]
 */
const hostOf = (platform, programs, env = {}) => ({
  platform,
  env,
  home: platform === "win32" ? "C:\\Users\\you" : "/home/you",
  isProgram: (/** @type {string} */ file) => programs.includes(file),
});

for (const [title, platform, env, program] of /** @type {[string, NodeJS.Platform, Record<string, string>, string][]} */ ([
  ["on the PATH", "linux", { PATH: "/usr/bin:/opt/kb" }, "/opt/kb/asdlc-kb"],
  ["where uv and pipx install", "linux", { PATH: "/usr/bin" }, "/home/you/.local/bin/asdlc-kb"],
  ["where they install on macOS", "darwin", {}, "/home/you/.local/bin/asdlc-kb"],
  ["where Homebrew installs", "darwin", { PATH: "/usr/bin" }, "/opt/homebrew/bin/asdlc-kb"],
  ["in uv's folder", "linux", { UV_TOOL_BIN_DIR: "/srv/uv" }, "/srv/uv/asdlc-kb"],
  ["in pipx's folder", "linux", { PIPX_BIN_DIR: "/srv/pipx" }, "/srv/pipx/asdlc-kb"],
  ["in the user's folder of programs", "linux", { XDG_BIN_HOME: "/srv/bin" }, "/srv/bin/asdlc-kb"],
  ["on the PATH of Windows", "win32", { PATH: "C:\\Windows;D:\\kb" }, "D:\\kb\\asdlc-kb.exe"],
  ["where they install on Windows", "win32", { PATH: "C:\\Windows" }, "C:\\Users\\you\\.local\\bin\\asdlc-kb.exe"],
  ["in uv's folder on Windows", "win32", { UV_TOOL_BIN_DIR: "D:\\uv" }, "D:\\uv\\asdlc-kb.exe"],
])) {
  test(`a program is found ${title}`, () => {
    assert.equal(findProgram("asdlc-kb", hostOf(platform, [program], env)), program);
    assert.equal(findProgram("asdlc-kb", hostOf(platform, [], env)), undefined);
  });
}

test("the PATH takes precedence", () => {
  const programs = ["/home/you/.local/bin/asdlc-kb", "/usr/bin/asdlc-kb"];
  assert.equal(findProgram("asdlc-kb", hostOf("linux", programs, { PATH: "/usr/bin" })), programs[1]);
});

test("an absolute path is that program or none, with or without its ending on Windows", () => {
  const windows = hostOf("win32", ["D:\\kb\\asdlc-kb.exe"], { PATH: "D:\\kb" });
  assert.equal(findProgram("D:\\kb\\asdlc-kb", windows), "D:\\kb\\asdlc-kb.exe");
  assert.equal(findProgram("D:\\kb\\ASDLC-KB.EXE", hostOf("win32", ["D:\\kb\\ASDLC-KB.EXE"])), "D:\\kb\\ASDLC-KB.EXE");
  assert.equal(findProgram("E:\\asdlc-kb", windows), undefined);
  assert.equal(findProgram("asdlc-kb.exe", windows), "D:\\kb\\asdlc-kb.exe");
  const linux = hostOf("linux", ["/opt/kb/asdlc-kb"], { PATH: "/opt/kb" });
  assert.equal(findProgram("/opt/kb/asdlc-kb", linux), "/opt/kb/asdlc-kb");
  assert.equal(findProgram("/opt/asdlc-kb", linux), undefined);
});

test("a script of Windows is not started: it needs a shell, which would interpret arguments", () => {
  assert.equal(findProgram("asdlc-kb", hostOf("win32", ["D:\\kb\\asdlc-kb.cmd"], { PATH: "D:\\kb" })), undefined);
});

test("relative and empty folders of the PATH are skipped: the open project could hold a program", () => {
  const everywhere = { ...hostOf("linux", []), isProgram: (/** @type {string} */ file) => !file.startsWith("/home/") };
  for (const PATH of ["", ":", ".:bin", "./bin"]) {
    assert.equal(findProgram("asdlc-kb", { ...everywhere, env: { PATH } }), undefined, PATH);
  }
  const windows = { ...hostOf("win32", []), isProgram: (/** @type {string} */ file) => !file.startsWith("C:") };
  assert.equal(findProgram("asdlc-kb", { ...windows, env: { PATH: ";.;bin" } }), undefined);
});

test("a program is an executable file", (context) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "asdlc-kb-"));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  const program = path.join(folder, "asdlc-kb");
  fs.writeFileSync(program, "", { mode: 0o755 });
  fs.writeFileSync(path.join(folder, "plain"), "", { mode: 0o644 });
  fs.mkdirSync(path.join(folder, "folder"));
  const host = { ...HOST, env: { PATH: folder } };
  assert.equal(findProgram("asdlc-kb", host), program);
  for (const name of ["none", "plain", "folder"]) {
    assert.equal(findProgram(name, host), undefined, name);
  }
});

test("a run returns output, errors and exit code", async () => {
  const script = "process.stdin.pipe(process.stdout); console.error(process.argv[1]); process.exitCode = 3";
  const result = await runProgram(process.execPath, ["-e", script, "$(id) 'x' \"y\""], os.tmpdir(), "in");
  assert.deepEqual(result, { code: 3, stdout: "in", stderr: "$(id) 'x' \"y\"\n" });
});

test("a program that reads nothing is no failure", async () => {
  const result = await runProgram(process.execPath, ["-e", "process.exit(0)"], os.tmpdir(), "x".repeat(1_000_000));
  assert.equal(result.code, 0);
});

test("a program that cannot start is one", async () => {
  await assert.rejects(runProgram("/none/asdlc-kb", [], os.tmpdir()), /ENOENT/);
});
