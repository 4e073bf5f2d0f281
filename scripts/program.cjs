"use strict";
/**
 * Starts a program from its parts in `parts/`. Beside a part may lie what V8 compiled of it when it was built; where this Node's V8
 * is the same, nothing is compiled again, which halves what a submission costs beyond Node's own start. Otherwise V8 refuses it, and
 * compiles the part as always.
 */
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const loaded = new Map();

/** The part of this program, which has what all parts share. */
const program = __filename.slice(__dirname.length + 1);

/** Parts run apart from Node's modules, so `import()` of a user's module stands here: `src/host/import-module.ts`. */
const importer = { importModule: (url) => import(url) };

function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const path = `${__dirname}/parts/${name}`;
  const cachedData = readCache(`${path}.cache`);
  // What was compiled keeps this name, so it must be the same on every machine.
  const filename = `firesteel/${name}`;
  const script = new Script(readFileSync(path, "utf8"), { filename, cachedData });
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, find, module);
  return module.exports;
}

/** A module of Node, or a part (`./errors.cjs`). */
function find(wanted) {
  if (!wanted.startsWith("./")) return require(wanted);
  if (wanted === "./base.cjs") return load(program);
  return wanted === "./import-module.cjs" ? importer : load(wanted.slice(2));
}

function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

load(program);
