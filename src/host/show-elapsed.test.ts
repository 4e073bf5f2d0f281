import { expect, test } from "vitest";
import { showElapsed } from "./show-elapsed.ts";
import { testHost } from "./test-host.ts";

/** Shows a task of 25 s. @returns what was written to stderr */
async function show(isTerminal: boolean): Promise<string> {
  const host = testHost({ terminal: isTerminal });
  const task = showElapsed(host, "Making it", host.clock.sleep(25_000));
  await host.clock.advance(25_000);
  await task;
  return host.errorText();
}

test("prints a line every 10 s", async () => {
  expect(await show(false)).toBe("Making it: 10 s\nMaking it: 20 s\n");
});

test("changes the line of a terminal every second, and ends it", async () => {
  expect(await show(true)).toMatch(/^\rMaking it: 1 s\rMaking it: 2 s\r.*\rMaking it: 25 s\n$/s);
});

test("passes on the failure of the task", async () => {
  await expect(showElapsed(testHost(), "Making it", Promise.reject(new Error("full")))).rejects.toThrow("full");
});
