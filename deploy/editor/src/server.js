"use strict";
/** The server to register, from settings and projects. Needs no editor. */

const os = require("node:os");
const path = require("node:path");

/** @typedef {{ command: string, args: string[] }} Program  A server over stdio. */
/** @typedef {{ url: string }} Address  A running server. */
/** @typedef {Program | Address} Server */
/** @typedef {(name: string) => unknown} Settings  Returns the unchecked value of a setting. */

/** The prefix of every setting. */
const SECTION = "asdlc-kb";

/** A setting with a value that cannot be used. */
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
 * Return the server to register, or undefined if there is nothing to serve.
 *
 * @param {Settings} settings
 * @param {readonly string[]} projects  Absolute paths.
 * @returns {Server | undefined}
 * @throws {BadSetting}
 */
function describeServer(settings, projects) {
  const url = readText(settings, "url");
  if (url !== "") {
    return { url: checkAddress(url) };
  }
  const command = readCommand(settings);
  const args = readTexts(settings, "args");
  if (projects.length === 0 && args.length === 0) {
    return undefined;
  }
  return { command, args: ["stdio", ...projects.flatMap((folder) => ["--project", folder]), ...args] };
}

/**
 * Return the command that starts the server: a name or an absolute path.
 *
 * @param {Settings} settings
 * @throws {BadSetting}
 */
function readCommand(settings) {
  const command = expandHome(readText(settings, "command"));
  // Editors resolve relative paths against different folders.
  if (command === "" || (/[\\/]/.test(command) && !path.isAbsolute(command))) {
    throw new BadSetting("command", "the name of a command or an absolute path");
  }
  return command;
}

/**
 * Return the projects that a setting names instead of the folders of the workspace.
 *
 * @param {Settings} settings
 * @throws {BadSetting}
 */
function readProjects(settings) {
  const projects = readTexts(settings, "projects").map(expandHome);
  if (!projects.every((folder) => path.isAbsolute(folder))) {
    throw new BadSetting("projects", "a list of absolute paths");
  }
  return projects;
}

/** @param {string} url */
function checkAddress(url) {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new BadSetting("url", "an address that begins with http:// or https://");
  }
  return url;
}

/** @param {string} text */
function expandHome(text) {
  return /^~[\\/]/.test(text) ? path.join(os.homedir(), text.slice(2)) : text;
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

module.exports = { BadSetting, SECTION, describeServer, readCommand, readProjects };
