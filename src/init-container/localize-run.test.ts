import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { LocalizeError } from "./localize-error.ts";
import { type LocalizeRun, retryTransient } from "./localize-run.ts";

function newRun() {
  const host = testHost();
  const ending = new AbortController();
  const output: string[] = [];
  const run: LocalizeRun = { host, signal: ending.signal, log: (text) => output.push(text), problem: {} };
  return { run, host, ending, output };
}

function transient(waitMs?: number): LocalizeError {
  return new LocalizeError("network", "no response", { isTransient: true, waitMs });
}

test("delays grow, reset after progress, and follow the server's Retry-After", async () => {
  const { run, host, output } = newRun();
  const start = host.clock.monotonic();
  const times: number[] = [];
  let progress = 0;
  const attempt = async () => {
    times.push(host.clock.monotonic() - start);
    if (times.length === 4) progress = 100;
    if (times.length === 5) throw transient(7000);
    if (times.length < 6) throw transient();
    return "done";
  };
  expect(await host.settle(retryTransient(run, attempt, () => progress))).toBe("done");
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits).toEqual([900, 1800, 3600, 900, 7000]);
  expect(output).toEqual(Array(5).fill("no response; retrying"));
  expect(run.problem.last?.message).toBe("no response");
});

test("does not retry permanent failures and stops waiting when the run ends", async () => {
  const { run, host, ending } = newRun();
  const permanent = new LocalizeError("notFound", "gone");
  await expect(retryTransient(run, () => Promise.reject(permanent))).rejects.toBe(permanent);
  const stopped = new LocalizeError("stopped", "stopped");
  const waiting = retryTransient(run, () => Promise.reject(transient()));
  const seen = expect(waiting).rejects.toBe(stopped);
  await host.advance(10);
  ending.abort(stopped);
  await seen;
});
