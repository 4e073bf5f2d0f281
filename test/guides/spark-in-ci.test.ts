import { expect, onTestFinished, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { pageBlocks } from "../page-blocks.ts";
import { ciMachine, parseWorkflow } from "./ci-steps.ts";

const page = "docs/spark-in-ci.md";

test("the documented workflow runs its job on pods, even if an image pull fails once", async () => {
  const machine = ciMachine({ "job.py": pageBlocks(page, "python")[0] ?? "" });
  const [job] = Object.values(parseWorkflow(pageBlocks(page, "yaml")[0] ?? "").jobs);
  onTestFinished(async () => {
    await run("firesteel", ["cluster", "stop"], { env: { HOME: machine.home } });
  });
  const outputs: Record<string, string> = {};
  for (const step of job?.steps ?? []) {
    if (step.run === undefined) continue;
    const { exit, output } = await machine.run(step.run, job?.env);
    expect(exit, output).toBe(0);
    outputs[step.name ?? ""] = output;
  }
  expect(outputs["Run the job"]).toContain("The sum up to 1000 is 500500.");
  expect(outputs["Run it again, with a pull that fails"]).toContain("The sum up to 10 is 55.");
  expect(outputs["Stop the cluster"]).toBe('Cluster "default" stopped.\n');
}, 300_000);
