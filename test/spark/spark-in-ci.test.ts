import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { expect, onTestFinished, test } from "vitest";
import { root, run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";

interface Step {
  readonly name?: string;
  readonly run?: string;
}

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
}

const page = readFileSync(join(root, "docs", "spark-in-ci.md"), "utf8");

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
}

function parseWorkflow(text: string): Workflow;
function parseWorkflow(text: string): unknown {
  return load(text);
}

/** Replaces npm, which has its own test: links the programs that it would install. */
function installer(bin: string): string {
  const programs = ["spark-submit", "firesteel"].map(
    (name) => `ln -s ${join(root, "dist", "bin", `${name}.cjs`)} ${join(bin, name)}`,
  );
  return ["#!/bin/sh", '[ "$*" = "install --global firesteel" ] || exit 1', ...programs, ""].join("\n");
}

/** Runs a step in its own shell, as the CI service does. */
function runStep(script: string, cwd: string, env: Record<string, string>) {
  const shell = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    ...{ cwd, env, stdio: ["ignore", "pipe", "pipe"] },
  });
  onTestFinished(() => {
    shell.kill("SIGKILL");
  });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise<{ exit: number | null; output: string }>((resolve) => {
    shell.on("close", (exit) => resolve({ exit, output }));
  });
}

test("the documented workflow runs its job on pods, even if an image pull fails once", async () => {
  const home = temporaryDirectory();
  const [bin, workspace] = [join(home, "bin"), join(home, "work")];
  for (const directory of [bin, workspace]) mkdirSync(directory);
  writeFileSync(join(bin, "npm"), installer(bin));
  chmodSync(join(bin, "npm"), 0o755);
  writeFileSync(join(workspace, "job.py"), block("python"));
  const [job] = Object.values(parseWorkflow(block("yaml")).jobs);
  const path = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home };
  onTestFinished(async () => {
    await run("firesteel", ["cluster", "stop"], { env: { HOME: home } });
  });
  const outputs: Record<string, string> = {};
  for (const step of job?.steps ?? []) {
    if (step.run === undefined) continue;
    const { exit, output } = await runStep(step.run, workspace, withSpark({ ...path, ...job?.env }));
    expect(exit, output).toBe(0);
    outputs[step.name ?? ""] = output;
  }
  expect(outputs["Run the job"]).toContain("The sum up to 1000 is 500500.");
  expect(outputs["Run it again, with a pull that fails"]).toContain("The sum up to 10 is 55.");
  expect(outputs["Stop the cluster"]).toBe('Cluster "default" stopped.\n');
}, 300_000);
