import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root, run, temporaryDirectory, withCaches } from "./programs.ts";

/** What is written for a shell in the README; other blocks need a cluster of the reader's own. */
const blocks = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, block = ""]) => block,
);

/** Types a block into a shell in which our programs are installed. */
function type(block: string, home: string): Promise<{ exit: number | null; output: string }> {
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["spark-submit", "firesteel"])
    symlinkSync(join(root, "dist", "bin", `${name}.cjs`), join(bin, name));
  const env = withCaches({ PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: home });
  const shell = spawn("bash", ["-euo", "pipefail", "-c", block], {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
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
  return new Promise((resolve) => {
    shell.on("close", (exit) => resolve({ exit, output }));
  });
}

describe("the README's examples", () => {
  test("the first submission lets two executors compute Pi", async () => {
    const { exit, output } = await type(blocks[0] ?? "", temporaryDirectory());
    expect(output).toMatch(/Registered executor .* with ID 1\b/);
    expect(output).toMatch(/Registered executor .* with ID 2\b/);
    expect(output).toMatch(/^Pi is roughly 3\.1/m);
    expect(output).toContain("phase: Succeeded");
    expect(exit).toBe(0);
  });

  test("a cluster in the background takes a submission, and goes when it is told to", async () => {
    const home = temporaryDirectory();
    onTestFinished(async () => {
      await run("firesteel", ["cluster", "stop"], { env: { HOME: home } });
    });
    const { exit, output } = await type(blocks[1] ?? "", home);
    expect(output).toContain("phase: Succeeded");
    expect(exit).toBe(0);
    expect(await run("firesteel", ["cluster", "status"], { env: { HOME: home } })).toMatchObject({ exit: 1 });
  });

  test("there is no further example that nobody runs", () => {
    expect(blocks).toHaveLength(2);
  });
});
