"use strict";
/** The program asdlc-kb: its location, and one run of it. */

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/**
 * The machine on which the extension runs; tests pass others.
 *
 * @typedef {object} Host
 * @property {NodeJS.Platform} platform
 * @property {Record<string, string | undefined>} env
 * @property {string} home
 * @property {(file: string) => boolean} isProgram
 */

/** @typedef {{ code: number, stdout: string, stderr: string }} Result */

const MAX_SECONDS = 60;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Variables that move the folders of `uv tool install` and `pipx install`. */
const FOLDER_VARIABLES = ["UV_TOOL_BIN_DIR", "PIPX_BIN_DIR", "XDG_BIN_HOME"];

/** @type {Host} */
const HOST = { platform: process.platform, env: process.env, home: os.homedir(), isProgram };

/**
 * Return the path of a program: on the PATH, or where uv and pipx install; undefined if it is missing.
 *
 * An editor that is started from a desktop often lacks the folders that a shell adds to the PATH.
 * Relative folders are skipped: they would be those of the open project.
 *
 * @param {string} command  A name, or an absolute path.
 * @param {Host} host
 */
function findProgram(command, host = HOST) {
  const isWindows = host.platform === "win32";
  const { delimiter, isAbsolute, join } = isWindows ? path.win32 : path.posix;
  const name = isWindows && !/\.exe$/i.test(command) ? `${command}.exe` : command;
  if (isAbsolute(name)) {
    return host.isProgram(name) ? name : undefined;
  }
  const folders = [
    ...(host.env.PATH ?? "").split(delimiter),
    ...FOLDER_VARIABLES.map((variable) => host.env[variable] ?? ""),
    join(host.home, ".local", "bin"),
    ...(host.platform === "darwin" ? ["/opt/homebrew/bin", "/usr/local/bin"] : []),
  ];
  return folders
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(host.isProgram);
}

/** @param {string} file */
function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Run a program to its end and return its output; rejects if it cannot start or takes too long.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {string} [input]
 * @returns {Promise<Result>}
 */
function runProgram(program, args, cwd, input = "") {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: MAX_SECONDS * 1000, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") {
        reject(error.killed ? new Error(`${program} did not end within ${MAX_SECONDS} seconds`) : error);
        return;
      }
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
    child.stdin?.on("error", () => {}); // It ended before it read everything: its exit code says why.
    child.stdin?.end(input);
  });
}

/**
 * Return the reason why a run failed: the last line of its errors.
 *
 * @param {Result} result
 */
function describeFailure({ code, stderr }) {
  return stderr.trim().split("\n").at(-1) || `asdlc-kb ended with exit code ${code}`;
}

module.exports = { HOST, describeFailure, findProgram, runProgram };
