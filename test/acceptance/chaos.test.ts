import { expect, onTestFinished, test } from "vitest";
import { run, temporaryDirectory } from "./programs.ts";

test("chaos rules of a background cluster can be added and removed, even when every response fails", async () => {
  const env = { HOME: temporaryDirectory() };
  const chaos = (...args: string[]) => run("firesteel", ["cluster", "chaos", ...args], { env });
  onTestFinished(async () => {
    await run("firesteel", ["cluster", "stop"], { env });
  });
  await run("firesteel", ["cluster", "start", "--api-only"], { env });

  expect(await chaos()).toMatchObject({ exit: 0, stdout: "No faults are active.\n" });
  const seed = "7";
  const added = await chaos("add", "503", "--retry-after", "0", "--seed", seed, "--json");
  expect(JSON.parse(added.stdout)).toMatchObject({
    ...{ id: "chaos-1", seed: Number(seed), rule: { fault: "503", retryAfterSeconds: 0 } },
  });
  // Every request fails, except those of the command that added the rule.
  expect((await run("firesteel", ["cluster", "status"], { env })).exit).toBe(1);
  const { stdout } = await chaos("list");
  expect(stdout).toMatch(
    /^chaos-1 {2}503 seed=7 retryAfterSeconds=0: injected into [1-9]\d* of [1-9]\d* matching requests\n$/,
  );
  expect(await chaos("step-clock", "--by", "-5min")).toMatchObject({
    stdout: expect.stringContaining("The clock is 300 s behind.\n"),
  });
  expect(await chaos("remove", "chaos-7")).toMatchObject({
    exit: 1,
    // SUBMIT_ERR_CHAOS_REJECTED
    stderr: expect.stringContaining("The cluster rejected the request: There is no rule chaos-7."),
  });
  expect(await chaos("evict", "p")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('The node "local" does not exist.'),
  });
  expect(await chaos("clear")).toMatchObject({ exit: 0, stdout: "No faults are active.\n" });
  expect((await run("firesteel", ["cluster", "status"], { env })).exit).toBe(0);
}, 60_000);
