"use strict";
/**
 * Preloaded into a program by `compile-cache.mjs`: runs it with one command line after another in one process, and at the end writes
 * what V8 compiled of each chunk. A chunk that has a cache keeps it.
 *
 * `FIRESTEEL_COMMANDS` has the arguments and the expected exit code of each run, as JSON: `[{"args": ["--help"], "exit": 0}]`.
 */
const { existsSync, realpathSync, writeFileSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");
const vm = require("node:vm");

const commands = JSON.parse(process.env.FIRESTEEL_COMMANDS);
const program = realpathSync(process.argv[1]);
const exitProcess = process.reallyExit;
const scripts = new Map();

const { Script } = vm;

/** Compiles each chunk once, so that its cache has the functions of all runs. */
vm.Script = function compileOnce(source, options) {
  const script = scripts.get(options.filename) ?? new Script(source, options);
  scripts.set(options.filename, script);
  return script;
};

function startNext() {
  process.argv.splice(2, process.argv.length, ...commands[0].args);
  // Node itself starts the first run after this preload.
  if (require.cache[program] === undefined) return;
  delete require.cache[program];
  require(program);
}

process.reallyExit = (code) => {
  const { args, exit } = commands.shift();
  if (code !== exit) throw new Error(`${args.join(" ")} exited with ${code} instead of ${exit}`);
  if (commands.length > 0) setImmediate(startNext);
  else writeCaches();
};

function writeCaches() {
  for (const [name, script] of scripts) {
    const path = join(dirname(program), "parts", `${basename(name)}.cache`);
    if (!existsSync(path)) writeFileSync(path, script.createCachedData());
  }
  exitProcess.call(process, 0);
}

startNext();
