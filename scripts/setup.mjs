#!/usr/bin/env node
/**
 * Prepares a fresh clone: installs packages and builds, each only if needed. It runs before packages are installed, so it imports only
 * Node modules.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "dist", ".inputs");

if (!isInstalled()) {
  printProgress("Installing packages");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
const inputs = hashOfInputs();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  printProgress("Building");
  run(process.execPath, ["scripts/build.mjs"]);
  writeFileSync(stamp, inputs);
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

function hashOfInputs() {
  const hash = createHash("sha256");
  const files = (directory) =>
    readdirSync(join(root, directory), { recursive: true }).map((name) => join(directory, name));
  const sources = [...files("src"), ...files(join("scripts", "build"))];
  const others = ["package-lock.json", "package.json", "tsconfig.json", "tsconfig.build.json", "scripts/build.mjs"];
  for (const name of [...sources.filter((path) => /\.([cm]js|ts)$/.test(path)).sort(), ...others]) {
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex");
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
