import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { root, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { type MergedOutcome, mergedOutput } from "../merged-output.ts";

type Env = Readonly<Record<string, string>>;

export interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Env;
}

export interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly env: Env; readonly steps: readonly Step[] }>>;
}

/** Parses a workflow. Replaces its expressions, such as `github.run_id`, by values. */
export function parseWorkflow(text: string, values?: Env): Workflow;
export function parseWorkflow(text: string, values: Env = {}): unknown {
  return load(text.replaceAll(/\$\{\{ *([\w.]+) *\}\}/g, (_, name) => values[name] ?? ""));
}

/** Machine of a CI service. Its npm installs this project's programs. */
export interface CiMachine {
  readonly home: string;
  /** Directory in which steps start. */
  readonly workspace: string;
  /** Starts a script as a step in its own shell. `interrupt` sends SIGINT to the shell only. */
  readonly start: (script: string, env?: Env) => RunningStep;
  /** Runs a script as a step until it ends. */
  readonly run: (script: string, env?: Env) => Promise<MergedOutcome>;
}

export interface RunningStep {
  readonly output: () => string;
  readonly interrupt: () => void;
  readonly ended: Promise<MergedOutcome>;
}

/** Prepares a machine with the files of a checkout. */
export function ciMachine(checkout: Env): CiMachine {
  const home = temporaryDirectory();
  const [bin, workspace] = [join(home, "bin"), join(home, "work")];
  for (const directory of [bin, workspace]) mkdirSync(directory);
  writeFileSync(join(bin, "npm"), installer(bin));
  chmodSync(join(bin, "npm"), 0o755);
  for (const [name, text] of Object.entries(checkout)) writeFileSync(join(workspace, name), text);
  const exported = join(home, "exported");
  const services = { RUNNER_TEMP: home, GITHUB_ENV: exported };
  const start = (script: string, env: Env = {}) => {
    const path = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home };
    return startShell(script, workspace, withSpark({ ...path, ...services, ...readExported(exported), ...env }));
  };
  return { home, workspace, start, run: (script, env) => start(script, env).ended };
}

/** Replaces npm, which has its own test: links the programs that it would install. */
function installer(bin: string): string {
  const programs = ["spark-submit", "firesteel"].map(
    (name) => `ln -s ${join(root, "dist", "bin", `${name}.cjs`)} ${join(bin, name)}`,
  );
  return ["#!/bin/sh", '[ "$*" = "install --global firesteel" ] || exit 1', ...programs, ""].join("\n");
}

/** Reads the variables that earlier steps exported, one `NAME=value` a line. */
function readExported(file: string): Env {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));
}

/** Starts a shell with the script in a file, as the CI services do. */
function startShell(script: string, cwd: string, env: Env): RunningStep {
  const file = join(cwd, "..", "step.sh");
  writeFileSync(file, script);
  const shell = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", file], {
    ...{ cwd, env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { ...mergedOutput(shell), interrupt: () => shell.kill("SIGINT") };
}
