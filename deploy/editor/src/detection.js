"use strict";
/** Detection of folders with instructions for agents, as `asdlc-kb stdio` detects its working directory. */

const fs = require("node:fs");
const path = require("node:path");

/** Written by deploy/release/detected_paths.py from the server's table. */
const { files, folders, inside } = require("./detected-paths.json");

const MAX_ENTRIES = 200;

/** What a change of which may begin or end a project, as a glob below its folder. */
const WATCHED = describeWatched();

/**
 * Whether a folder has rules, commands, skills, guides or specifications for agents.
 *
 * A home directory and the folders above it have not: their `.claude` and `.cursor` belong to the
 * whole machine.
 *
 * @param {string} folder
 * @param {string} home
 */
function looksLikeProject(folder, home) {
  const below = path.relative(resolve(folder), resolve(home));
  if (!below.startsWith("..") && !path.isAbsolute(below)) {
    return false;
  }
  return (
    files.some((name) => isFile(path.join(folder, name))) ||
    folders
      .flatMap((name) => expand(folder, name))
      .some((found) => list(found).some((entry) => !entry.startsWith("."))) ||
    inside.some(([name, file]) => list(path.join(folder, name)).some((entry) => isFile(path.join(folder, name, entry, file))))
  );
}

function describeWatched() {
  const names = [...files, ...folders.map((name) => `${name}/`), ...inside.map(([name]) => `${name}/`)];
  const patterns = names.flatMap((name) => {
    const [top = "", ...rest] = name.split("/");
    // Editors report the removal of a folder, not of what it contained.
    return rest.length > 0 ? [top, `${top}/**`] : [top];
  });
  return `{${[...new Set(patterns)].join(",")}}`;
}

/**
 * Return the nearest of some folders that contains a file.
 *
 * @param {string[]} roots
 * @param {string} file
 */
function findRoot(roots, file) {
  const above = roots.filter((root) => {
    const below = path.relative(root, file);
    return below !== "" && !below.startsWith("..") && !path.isAbsolute(below);
  });
  return above.sort((first, second) => second.length - first.length)[0];
}

/** @param {string} file */
function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Return the folders that a name with a star stands for.
 *
 * @param {string} folder
 * @param {string} name
 */
function expand(folder, name) {
  const whole = path.join(folder, name);
  const [start = "", end] = path.basename(whole).split("*");
  if (end === undefined) {
    return [whole];
  }
  const names = list(path.dirname(whole)).filter((entry) => entry.startsWith(start) && entry.endsWith(end));
  return names.map((entry) => path.join(path.dirname(whole), entry));
}

/** @param {string} folder */
function list(folder) {
  try {
    return fs.readdirSync(folder).slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

/** @param {string} folder */
function resolve(folder) {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}

module.exports = { WATCHED, findRoot, looksLikeProject };
