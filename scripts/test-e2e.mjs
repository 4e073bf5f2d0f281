#!/usr/bin/env node
/**
 * Runs Kubernetes' own conformance specs against a new embedded cluster or another one:
 * `npm run test:e2e -- --suite DIR --out DIR [--kubeconfig FILE] [--specs FILE] [--parallel N] [--limit SECONDS]`.
 *
 * The suite is a program `e2e` with the commands `build`, `images DIR`, `run` and `summary DIR`. `test/e2e/failing-specs.json` lists the specs that
 * fail, each with its reason. The run fails if another spec fails, or if one of these passes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { addPrograms } from "./e2e-images.mjs";

const { values } = parseArgs({
  options: {
    suite: { type: "string" },
    out: { type: "string" },
    kubeconfig: { type: "string" },
    specs: { type: "string" },
    parallel: { type: "string" },
    limit: { type: "string" },
  },
});
const missing = [
  ...(values.suite === undefined ? ["--suite DIR: directory with the program e2e"] : []),
  ...(values.out === undefined ? ["--out DIR: directory for results and logs; a second run continues there"] : []),
];
if (missing.length > 0) {
  console.error(`Missing:\n${missing.map((line) => `  ${line}\n`).join("")}`);
  process.exit(2);
}
const suite = join(resolve(values.suite), "e2e");
const out = resolve(values.out);
const failing = JSON.parse(readFileSync(new URL("../test/e2e/failing-specs.json", import.meta.url), "utf8"));

try {
  execFileSync(suite, ["build"], { stdio: "inherit" });
  process.exitCode = values.kubeconfig === undefined ? runOnEmbedded() : runOn(resolve(values.kubeconfig));
} catch (error) {
  // A program that failed has printed the reason.
  if (error.status === undefined) throw error;
  process.exitCode = error.status ?? 1;
}

/** Starts a cluster with the suite's images, and runs the specs on it. Returns the exit code. */
function runOnEmbedded() {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "firesteel-e2e");
  const state = mkdtempSync(join(tmpdir(), "firesteel-e2e-"));
  const env = { ...process.env, XDG_CACHE_HOME: cache, XDG_STATE_HOME: state };
  const firesteel = (...args) =>
    execFileSync(process.execPath, ["--use-openssl-ca", resolve("dist/bin/firesteel.cjs"), ...args], {
      env,
      encoding: "utf8",
    });
  try {
    for (const archive of archivesIn(cache)) firesteel("cluster", "image", "load", archive);
    // Specs compare a pod's hosts file with this machine's, and fill the node.
    const options = ["--no-overcommit", ...[homedir(), tmpdir(), "/etc"].flatMap((path) => ["--host-path", path])];
    const { kubeconfig } = JSON.parse(firesteel("cluster", "start", "--name", "e2e", "--json", ...options));
    return runOn(kubeconfig);
  } finally {
    firesteel("cluster", "delete", "--name", "e2e");
    rmSync(state, { recursive: true, force: true });
  }
}

/** Makes the archives of the suite's images once, with the programs that they lack. */
function archivesIn(cache) {
  const directory = join(cache, "complete-archives");
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    mkdirSync(cache, { recursive: true });
    const unfinished = mkdtempSync(join(cache, "unfinished-"));
    try {
      execFileSync(suite, ["images", unfinished], { stdio: "inherit" });
      for (const name of readdirSync(unfinished)) addPrograms(join(unfinished, name));
      renameSync(unfinished, directory);
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    return archivesIn(cache);
  }
}

/** Runs the specs, and compares the failed ones with those expected to fail. Returns the exit code. */
function runOn(kubeconfig) {
  const options = ["specs", "parallel", "limit"].flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, name === "specs" ? resolve(values[name]) : values[name]],
  );
  const { status } = spawnSync(suite, ["run", "--kubeconfig", kubeconfig, "--out", out, ...options], {
    stdio: "inherit",
  });
  if (status !== 0 && status !== 1) return status ?? 1;
  execFileSync(suite, ["summary", out], { stdio: "inherit" });
  const results = readFileSync(join(out, "results.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const states = new Map(results.map(({ name, state }) => [name, state]));
  const problems = [...states].flatMap(([name, state]) => {
    if (state === "passed" && name in failing) return [`passed, but is listed as failing: ${name}`];
    return state === "passed" || state === "skipped" || name in failing ? [] : [`${state}: ${name}`];
  });
  const passed = [...states.values()].filter((state) => state === "passed").length;
  console.log(`\n${passed} of ${states.size} passed (${((100 * passed) / states.size).toFixed(1)} %)`);
  for (const problem of problems) console.log(problem);
  return problems.length === 0 ? 0 : 1;
}
