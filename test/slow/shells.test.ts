import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root } from "../acceptance/programs.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { testWith } from "../test-with.ts";

const cluster = sparkCluster();
const firesteel = join(root, "dist", "bin", "firesteel.cjs");

/** Types a line into a shell on a terminal after each prompt. Returns the exit code and what the terminal showed. */
async function type(language: string, prompt: string, lines: readonly string[]) {
  const command = `${firesteel} shell ${language} --master k8s://embedded --conf spark.executor.instances=1`;
  // Without a type of terminal, the Scala shell does not draw its line again for each key.
  const env = { ...process.env, ...cluster.env(), TERM: "dumb" };
  const terminal = spawn("script", ["-qec", command, "/dev/null"], { env, cwd: cluster.directory });
  onTestFinished(() => {
    terminal.kill("SIGKILL");
  });
  const rest = [...lines];
  let shown = "";
  let readFrom = 0;
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.on("data", (chunk) => {
      shown += chunk;
      const at = shown.indexOf(prompt, readFrom);
      if (at === -1) return;
      readFrom = at + prompt.length;
      const line = rest.shift();
      if (line !== undefined) terminal.stdin.write(`${line}\n`);
    });
  const exit = await new Promise((resolve) => terminal.once("exit", resolve));
  return { exit, shown };
}

const test = testWith(sparkOf("4.3"));

test("the Python shell runs on a terminal, with executors in pods", async () => {
  const sum = 'print("total", spark.range(1000).selectExpr("sum(id) as s").collect()[0].s)';
  const { exit, shown } = await type("python", ">>> ", [sum, "exit()"]);
  expect(shown).toContain("total 499500");
  expect(exit).toBe(0);
});

test("the Scala shell runs on a terminal, with executors in pods", async () => {
  const sum = 'println("total " + spark.range(1000).selectExpr("sum(id)").first().getLong(0))';
  const { exit, shown } = await type("scala", "scala> ", [sum, ":quit"]);
  expect(shown).toContain("total 499500");
  expect(exit).toBe(0);
});
