import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { pageBlocks } from "../page-blocks.ts";
import { ciMachine } from "./ci-steps.ts";

const page = "docs/dynamic-allocation.md";

/** Numbers of map tasks of the three steps of the job. */
function mapTasks(output: string): readonly number[] {
  return [...output.matchAll(/^map tasks [a-z0-9 ]+: (\d+)$/gm)].map(([, count]) => Number(count));
}

describe("the documented job", () => {
  test("runs map tasks again as the page says", async () => {
    const [, settings = ""] = pageBlocks(page, "properties");
    const [script = ""] = pageBlocks(page, "python");
    const machine = ciMachine({ "allocation.conf": settings, "allocation.py": script });
    onTestFinished(async () => {
      await run("firesteel", ["cluster", "stop"], { env: { HOME: machine.home } });
    });
    await machine.run("npm install --global firesteel");
    const [start = "", ...commands] = pageBlocks(page, "sh");
    const started = await machine.run(start);
    expect(started.exit, started.output).toBe(0);
    const outputs: string[] = [];
    for (const command of commands) {
      const { exit, output } = await machine.run(command);
      expect(exit, output).toBe(0);
      expect(output.match(/: right True$/gm), output).toHaveLength(3);
      outputs.push(output);
    }
    const [tracking = "", decommission = "", fallback = "", service = ""] = outputs;
    expect(mapTasks(tracking).slice(0, 2)).toEqual([8, 0]);
    expect(tracking).toMatch(/^executors after 30 s: [12]$/m);
    expect(mapTasks(tracking)[2]).toBeGreaterThan(0);
    expect(mapTasks(decommission).slice(0, 2)).toEqual([8, 0]);
    expect(mapTasks(fallback)).toEqual([8, 0, 0]);
    expect(mapTasks(service)).toEqual([8, 0, 0]);
  }, 900_000);
});
