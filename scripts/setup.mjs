#!/usr/bin/env node
/**
 * Makes a fresh clone ready: installs packages and builds, each only when needed. Everything else runs after it, so it
 * uses nothing but Node.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "dist", ".inputs");

if (!isInstalled()) {
  tell("Installing packages");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
const inputs = hashOfInputs();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  tell("Building");
  run(process.execPath, ["scripts/build.mjs"]);
  writeFileSync(stamp, inputs);
}

/** True when each package of the lock file is there in its version; npm notes those in a lock file of its own. */
function isInstalled() {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const there = JSON.parse(readFileSync(installed, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === "" || (optional && !(path in there)) || there[path]?.version === version,
  );
}

function hashOfInputs() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(root, "src"), { recursive: true }).map((name) => join("src", name));
  const others = [
    "package-lock.json",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/build.mjs",
  ];
  for (const name of [...sources.filter((path) => path.endsWith(".ts")).sort(), ...others]) {
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex");
}

function run(command, args) {
  // On stderr, because stdout belongs to whatever runs next.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (error !== undefined) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

function tell(text) {
  console.error(`${text} …`);
}
