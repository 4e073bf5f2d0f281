import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root, run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { type MergedOutcome, mergedOutput } from "../merged-output.ts";
import { pageBlocks } from "../page-blocks.ts";

/** Shell blocks of the README; other blocks need the reader's own cluster. */
const blocks = pageBlocks("README.md", "sh");

/** Runs a block in a shell in which the programs are installed. */
function type(block: string, home: string): Promise<MergedOutcome> {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["spark-submit", "firesteel"])
    symlinkSync(join(root, "dist", "bin", `${name}.cjs`), join(bin, name));
  const env = withSpark({ PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home });
  const shell = spawn("bash", ["-euo", "pipefail", "-c", block], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return mergedOutput(shell).ended;
}

describe("the README's examples", () => {
  test("the first submission computes Pi with two executors", async () => {
    const { exit, output } = await type(blocks[0] ?? "", temporaryDirectory());
    expect(output).toMatch(/Registered executor .* with ID 1\b/);
    expect(output).toMatch(/Registered executor .* with ID 2\b/);
    expect(output).toMatch(/^Pi is roughly 3\.1/m);
    expect(output).toContain("phase: Succeeded");
    expect(exit).toBe(0);
  });

  test("a background cluster accepts a submission and stops on request", async () => {
    const home = temporaryDirectory();
    onTestFinished(async () => {
      await run("firesteel", ["cluster", "stop"], { env: { HOME: home } });
    });
    const { exit, output } = await type(blocks[1] ?? "", home);
    expect(output).toContain("phase: Succeeded");
    expect(exit).toBe(0);
    expect(await run("firesteel", ["cluster", "status"], { env: { HOME: home } })).toMatchObject({ exit: 1 });
  });

  test("every shell example is run", () => {
    expect(blocks).toHaveLength(2);
  });
});
