import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import type { Host } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import { sandboxMark, startWatchdog } from "./watchdog.ts";

/** Starts a process with a pod's mark. @returns the signal that ends it */
function startMarkedProcess(mark: string): Promise<unknown[]> {
  const env = { ...process.env, [sandboxMark]: mark };
  return once(spawn("sleep", ["1000"], { env, stdio: "ignore" }), "exit");
}

test("kills a marked process that starts just after Firesteel died", { tags: "long" }, async ({ skip }) => {
  if (process.platform !== "linux") skip("requires Linux");
  const host = nodeHost();
  let closeInput = () => {};
  const spawnShell: Host["spawn"] = (...args) => {
    const shell = host.spawn(...args);
    closeInput = shell.endInput;
    return shell;
  };
  const { mark } = startWatchdog({ random: host.random, spawn: spawnShell });
  const first = startMarkedProcess(mark);
  closeInput();
  expect(await first).toEqual([null, "SIGKILL"]);
  expect(await startMarkedProcess(mark)).toEqual([null, "SIGKILL"]);
});
