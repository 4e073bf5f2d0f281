#!/usr/bin/env node
/**
 * Runs the unit and golden tests and a part of the others with further releases of Node: `npm run test:node -- [LINE…]`, of 22, 24 and 26, by default 22 and 24.
 *
 * The releases come from the package registry, as packages that contain nothing but Node, into the cache.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { FIRESTEEL_CACHE, XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
const cache = join(FIRESTEEL_CACHE ?? join(XDG_CACHE_HOME, "firesteel"), "node");
const releases = { 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };
/** Whole programs: start, package, transfer of files, an API server, and pods. */
const integration = [
  "acceptance/start-up.test.ts",
  "acceptance/package.test.ts",
  "acceptance/push.test.ts",
  "contract/api/",
  "contract/embedded-pods.test.ts",
];

const vitest = "node_modules/vitest/vitest.mjs";

const lines = process.argv.slice(2);
for (const line of lines.length > 0 ? lines : ["22", "24"]) {
  const release = releases[line];
  if (release === undefined) throw new Error(`no Node ${line} here, only ${Object.keys(releases).join(", ")}`);
  const node = installNode(release);
  console.log(`\nNode ${release}`);
  runNode(node, ["scripts/setup.mjs"]);
  const files = integration.map((name) => `test/${name}`);
  runNode(node, [vitest, "run", "--project", "unit", "--project", "golden"]);
  runNode(node, [vitest, "run", "--project", "integration", ...files]);
}

/** Downloads a release unless the cache has it. Returns the path of its program. */
function installNode(release) {
  const directory = join(cache, release);
  const node = join(directory, "package", "bin", "node");
  if (existsSync(node)) return node;
  const partial = join(cache, `.${release}-${process.pid}`);
  mkdirSync(partial, { recursive: true });
  try {
    const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${release}`;
    const archive = run("npm", ["pack", "--silent", name], { cwd: partial, encoding: "utf8" }).trim();
    run("tar", ["-xzf", archive, "package/bin/node"], { cwd: partial });
    renameSync(partial, directory);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return node;
}

function runNode(node, args) {
  const path = [dirname(node), process.env.PATH].join(delimiter);
  run(node, args, {
    ...{ cwd: root, stdio: "inherit", env: { ...process.env, PATH: path } },
  });
}

function run(program, args, options) {
  const { status, stdout, error } = spawnSync(program, args, { stdio: ["ignore", "pipe", "inherit"], ...options });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}
