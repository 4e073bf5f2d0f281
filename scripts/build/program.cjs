"use strict";
/**
 * Loads the chunks of a program from `parts/`, with the code that V8 compiled at build time. A V8 of another version rejects that
 * cache and compiles the chunk, which is slower.
 */
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const loaded = new Map();

/** Returns the exports of a chunk (`./base.cjs`) or of a Node module. */
function find(id) {
  if (!id.startsWith("./")) return require(id);
  const name = id.slice(id.lastIndexOf("/") + 1);
  let exports = loaded.get(name);
  if (exports === undefined) {
    const path = `${__dirname}/parts/${name}`;
    const script = new Script(readFileSync(path, "utf8"), {
      // The cache contains this name, so it must not depend on the directory of the installation.
      filename: `firesteel/${name}`,
      cachedData: readCache(`${path}.cache`),
    });
    exports = script.runInThisContext()(find, load);
    loaded.set(name, exports);
  }
  return exports;
}

/** Replaces `import()` in the chunks: of a chunk, of a Node module, or of a user's module at its `file:` URL. */
async function load(id) {
  return id.startsWith("file:") ? import(id) : find(id);
}

function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
