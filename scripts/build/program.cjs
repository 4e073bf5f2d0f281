"use strict";
/**
 * Loads the chunks of a program from `parts/`, with the code that V8 compiled: at build time, or for another release of Node when a
 * program first ran (`store-code.cjs`). V8 rejects the code of another version, and then compiles the chunk, which is slower.
 */
const { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } = require("node:fs");
const { Script } = require("node:vm");

const parts = `${__dirname}/parts`;
const loaded = new Map();
/** The same by ID: a server calls functions of other chunks thousands of times per second. */
const found = new Map();
/** Chunks of this process: `name`, `script`, and `stored`: `"full"`, `"partial"` or `undefined`. */
const scripts = [];
const directory = userDirectory();
const isUsed = directory !== undefined && isOwn(() => lstatSync(directory));
let isStoring = false;

/** Returns the exports of a chunk (`./base.cjs`) or of a Node module. */
function find(id) {
  const known = found.get(id);
  if (known !== undefined) return known;
  if (!id.startsWith("./")) return require(id);
  const name = id.slice(id.lastIndexOf("/") + 1);
  let exports = loaded.get(name);
  if (exports === undefined) {
    exports = compile(name).runInThisContext()(find, load);
    loaded.set(name, exports);
  }
  found.set(id, exports);
  return exports;
}

/** Replaces `import()` in the chunks: of a chunk, of a Node module, or of a user's module at its `file:` URL. */
async function load(id) {
  return id.startsWith("file:") ? import(id) : find(id);
}

function compile(name) {
  const source = readFileSync(`${parts}/${name}`, "utf8");
  let script = isUsed ? compileWith(readOwn(`${directory}/${name}`), "full") : undefined;
  if (isUsed) script ??= compileWith(readOwn(`${directory}/${name}.partial`), "partial");
  script ??= compileWith(readIfAny(`${parts}/${name}.cache`), "full");
  if (script === undefined) {
    script = new Script(source, { filename: `firesteel/${name}` });
    scripts.push({ name, script });
    storeAtExit();
  }
  return script;

  function compileWith(cachedData, stored) {
    if (cachedData === undefined) return undefined;
    // The cache contains this name, so it must not depend on the directory of the installation.
    const cached = new Script(source, { filename: `firesteel/${name}`, cachedData });
    if (cached.cachedDataRejected) return undefined;
    scripts.push({ name, script: cached, stored });
    if (stored === "partial") storeAtExit();
    return cached;
  }
}

/** Returns the directory of the code that this release of Node compiled, in the user's cache (as `cache-directory.ts`). */
function userDirectory() {
  const { FIRESTEEL_CACHE, FIRESTEEL_CODE_CACHE, HOME, XDG_CACHE_HOME } = process.env;
  if (FIRESTEEL_CODE_CACHE === "off" || process.geteuid === undefined) return undefined;
  const user = XDG_CACHE_HOME?.startsWith("/") ? XDG_CACHE_HOME : HOME?.startsWith("/") ? `${HOME}/.cache` : undefined;
  const cache = FIRESTEEL_CACHE || (user && `${user}/firesteel`);
  return cache?.startsWith("/") ? `${cache}/code/${process.arch}-${process.version}-BUILD` : undefined;
}

/** Checks that only this user can have written a file or directory, because V8 trusts the code that it loads. */
function isOwn(stat) {
  try {
    const { mode, uid } = stat();
    return uid === process.geteuid() && (mode & 0o022) === 0 && (mode & constants.S_IFMT) !== constants.S_IFLNK;
  } catch {
    return false;
  }
}

function readOwn(path) {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!isOwn(() => stat)) return undefined;
      // V8 rejects a file that another process has shortened.
      const code = Buffer.allocUnsafeSlow(stat.size);
      return code.subarray(0, readSync(file, code));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function readIfAny(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function storeAtExit() {
  if (isStoring || directory === undefined) return;
  isStoring = true;
  process.on("exit", (exit) => {
    // A failed run stores only chunks without stored code.
    if (exit !== 0 && scripts.every(({ stored }) => stored !== undefined)) return;
    require("./parts/store-code.cjs").storeCode({ directory, scripts, exit });
  });
}
