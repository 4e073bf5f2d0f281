/**
 * Preloaded into a program by the build: runs it with one command line after another, in one process, and notes beside each of its parts
 * what V8 compiled of it by then. What FIRESTEEL_COMMANDS says as JSON: words and exit code of each. Parts that have such a note keep it.
 */
const { existsSync, realpathSync, writeFileSync } = require("node:fs");
const { dirname, join, basename } = require("node:path");
const vm = require("node:vm");

const commands = JSON.parse(process.env.FIRESTEEL_COMMANDS);
const program = realpathSync(process.argv[1]);
const end = process.reallyExit;
const scripts = new Map();

const { Script } = vm;

/** The same part is compiled once, for all commands. */
vm.Script = function compileOnce(source, options) {
  const script = scripts.get(options.filename) ?? new Script(source, options);
  scripts.set(options.filename, script);
  return script;
};

function startNext() {
  process.argv.splice(2, process.argv.length, ...commands[0].words);
  // The first time, Node runs it after us.
  if (require.cache[program] === undefined) return;
  delete require.cache[program];
  require(program);
}

process.reallyExit = (code) => {
  const { words, exit } = commands.shift();
  if (code !== exit) throw new Error(`${words.join(" ")} ended with ${code} while it was built`);
  if (commands.length > 0) setImmediate(startNext);
  else noteAll();
};

function noteAll() {
  for (const [name, script] of scripts) {
    const path = join(dirname(program), "parts", `${basename(name)}.cache`);
    if (!existsSync(path)) writeFileSync(path, script.createCachedData());
  }
  end.call(process, 0);
}

startNext();
