import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { LocalizeError } from "./localize-error.ts";
import { type Localizing, retrying } from "./localizing.ts";

function newRun() {
  const host = testHost();
  const ending = new AbortController();
  const output: string[] = [];
  const run: Localizing = { host, signal: ending.signal, say: (text) => output.push(text), problem: {} };
  return { run, host, ending, output };
}

function passing(waitMs?: number): LocalizeError {
  return new LocalizeError("network", "no answer", { isTransient: true, waitMs });
}

test("waits grow, start anew when an attempt got on, and are the server's where it says", async () => {
  const { run, host, output } = newRun();
  const start = host.clock.monotonic();
  const times: number[] = [];
  let progress = 0;
  const attempt = async () => {
    times.push(host.clock.monotonic() - start);
    if (times.length === 4) progress = 100;
    if (times.length === 5) throw passing(7000);
    if (times.length < 6) throw passing();
    return "done";
  };
  expect(await host.settle(retrying(run, attempt, () => progress))).toBe("done");
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits).toEqual([900, 1800, 3600, 900, 7000]);
  expect(output).toEqual(Array(5).fill("no answer; trying again"));
  expect(run.problem.last?.message).toBe("no answer");
});

test("what does not pass is not tried again, and the end of the run ends the waiting", async () => {
  const { run, host, ending } = newRun();
  const refused = new LocalizeError("notFound", "gone");
  await expect(retrying(run, () => Promise.reject(refused))).rejects.toBe(refused);
  const over = new LocalizeError("stopped", "stopped");
  const waiting = retrying(run, () => Promise.reject(passing()));
  const seen = expect(waiting).rejects.toBe(over);
  await host.advance(10);
  ending.abort(over);
  await seen;
});
