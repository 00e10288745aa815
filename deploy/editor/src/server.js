"use strict";
/** The one server that is registered, as settings and folders describe it. Knows no editor. */

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

/** @typedef {{ command: string, args: string[] }} Program  Talks over its stdin and stdout. */
/** @typedef {{ url: string }} Address  Of a server that is running. */
/** @typedef {Program | Address} Server */
/** @typedef {(name: string) => unknown} Settings  Of each the value, whatever a person wrote there. */

/** Before the name of each setting. */
const SECTION = "asdlc-kb";

/** A setting with which there can be no server. */
class BadSetting extends Error {
  /**
   * @param {string} name
   * @param {string} wanted
   */
  constructor(name, wanted) {
    super(`The setting ${SECTION}.${name} must be ${wanted}.`);
  }
}

/**
 * Return the server to register; undefined where there is nothing to serve.
 *
 * @param {Settings} settings
 * @param {readonly string[]} folders  Absolute, of the workspace.
 * @returns {Server | undefined}
 * @throws {BadSetting}
 */
function describeServer(settings, folders) {
  const url = readText(settings, "url");
  if (url !== "") {
    return { url: checkAddress(url) };
  }
  const command = checkCommand(expandHome(readText(settings, "command")));
  const args = readTexts(settings, "args");
  const chosen = readTexts(settings, "projects").map(expandHome);
  if (!chosen.every((folder) => path.isAbsolute(folder))) {
    throw new BadSetting("projects", "a list of absolute paths");
  }
  const projects = chosen.length > 0 ? chosen : folders;
  if (projects.length === 0 && args.length === 0) {
    return undefined;
  }
  const named = projects.flatMap((folder) => ["--project", folder]);
  return { command, args: ["stdio", ...named, ...args] };
}

/**
 * Whether a command is there to be started.
 *
 * @param {string} command  A name, or an absolute path.
 * @param {string} searched  The folders of PATH.
 */
function isInstalled(command, searched) {
  if (path.isAbsolute(command)) {
    return isProgram(command);
  }
  const folders = searched.split(path.delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => isProgram(path.join(folder, command)));
}

/** @param {string} file */
function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false; // Absent, or not for this user: the same to who wants to start it.
  }
}

/** @param {string} url */
function checkAddress(url) {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BadSetting("url", "an address that begins with http:// or https://");
  }
  return url;
}

/** @param {string} command */
function checkCommand(command) {
  // Where a relative path would begin differs from editor to editor.
  if (command === "" || (/[\\/]/.test(command) && !path.isAbsolute(command))) {
    throw new BadSetting("command", "the name of a command or an absolute path");
  }
  return command;
}

/** @param {string} text */
function expandHome(text) {
  return text.startsWith("~/") ? path.join(os.homedir(), text.slice(2)) : text;
}

/**
 * @param {Settings} settings
 * @param {string} name
 */
function readText(settings, name) {
  const value = settings(name);
  if (typeof value !== "string") {
    throw new BadSetting(name, "a text");
  }
  return value.trim();
}

/**
 * @param {Settings} settings
 * @param {string} name
 */
function readTexts(settings, name) {
  const value = settings(name);
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string" && item !== "")) {
    throw new BadSetting(name, "a list of texts");
  }
  return /** @type {string[]} */ (value);
}

module.exports = { BadSetting, SECTION, describeServer, isInstalled };
