import { expect, onTestFinished, test } from "vitest";
import { ciMachine } from "../guides/ci-steps.ts";
import { pageBlocks } from "../page-blocks.ts";

const page = "docs/dynamic-allocation.md";

/** Numbers of map tasks of the three steps of the job. */
function mapTasks(output = ""): readonly number[] {
  return [...output.matchAll(/^map tasks [a-z0-9 ]+: (\d+)$/gm)].map(([, count]) => Number(count));
}

test("the documented job runs map tasks again as the page says", { timeout: 900_000 }, async () => {
  const [, settings = ""] = pageBlocks(page, "properties");
  const [script = ""] = pageBlocks(page, "python");
  const machine = ciMachine({ "allocation.conf": settings, "allocation.py": script });
  onTestFinished(async () => {
    await machine.run("firesteel cluster delete");
  });
  await machine.run("npm install --global firesteel");
  const outputs: string[] = [];
  for (const command of pageBlocks(page, "sh")) {
    const { exit, output } = await machine.run(command);
    expect(exit, output).toBe(0);
    outputs.push(output);
  }
  const jobs = outputs.slice(1);
  for (const output of jobs) expect(output.match(/: right True$/gm), output).toHaveLength(3);
  const [withoutAllocation, tracking, decommission, fallback, service] = jobs;
  for (const output of [withoutAllocation, tracking, decommission]) {
    const [first, idle, loss] = mapTasks(output);
    expect([first, idle], output).toEqual([8, 0]);
    expect(loss).toBeGreaterThan(0);
  }
  for (const output of [fallback, service]) expect(mapTasks(output), output).toEqual([8, 0, 0]);
  // Files of the fallback storage go when the driver ends.
  expect(fallback).toMatch(/^0$/m);
});
