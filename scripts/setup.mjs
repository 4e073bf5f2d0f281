#!/usr/bin/env node
/**
 * Prepares a fresh clone: installs packages and builds, each only if needed. It runs before packages are installed, so it imports only
 * Node modules.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { digestOfInputs, inputsFile } from "./build/inputs.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const builtFrom = join(root, "dist", inputsFile);

if (!isInstalled()) {
  printProgress("Installing packages");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
if (!existsSync(builtFrom) || readFileSync(builtFrom, "utf8") !== digestOfInputs(root)) {
  printProgress("Building");
  run(process.execPath, ["scripts/build.mjs"]);
}

/** Checks that the installed packages have the versions of the lock file. npm records them in `node_modules/.package-lock.json`. */
function isInstalled() {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const found = JSON.parse(readFileSync(installed, "utf8")).packages;
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === "" || (optional && !(path in found)) || found[path]?.version === version,
  );
}

function run(command, args) {
  // stdout belongs to the command that runs next.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (error !== undefined) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

function printProgress(text) {
  console.error(`${text} …`);
}
