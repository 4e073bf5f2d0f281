import { expect, test } from "vitest";
import { isRunning } from "./is-running.ts";
import { testHost } from "./test-host.ts";

test("a process is there until it ends, also before its parent has collected it", () => {
  const host = testHost({ spawn: () => {} });
  const { pid = 0, kill } = host.spawn("sleep", []);
  expect(isRunning(host, pid)).toBe(true);
  host.files.makeDirectory(`/proc/${pid}`);
  host.files.write(`/proc/${pid}/stat`, `${pid} (a (b) Z c) S 1 1`);
  expect(isRunning(host, pid)).toBe(true);
  host.files.write(`/proc/${pid}/stat`, `${pid} (node) Z 1 1`);
  expect(isRunning(host, pid)).toBe(false);
  kill("SIGTERM");
  host.files.remove("/proc");
  expect(isRunning(host, pid)).toBe(false);
});

test("reports another user's process as running", () => {
  const kill = () => {
    throw new Error("EPERM");
  };
  expect(isRunning({ ...testHost(), kill }, 1)).toBe(true);
});
