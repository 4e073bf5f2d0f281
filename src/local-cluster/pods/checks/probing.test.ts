import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Container } from "../../../kube/types.ts";
import { startProbing } from "./probing.ts";

/** A container whose probes answer as they are told, and what came of that, with the second that it came in. */
function probed(spec: Partial<Container>) {
  const host = testHost();
  const told: string[] = [];
  const answers: Record<string, boolean> = { startup: true, readiness: true, liveness: true };
  const startedAt = host.clock.now();
  const tell = (what: string) => told.push(`${(host.clock.now() - startedAt) / 1000} ${what}`);
  const never = () => Promise.reject(new Error("unused"));
  const stop = startProbing({
    target: {
      ...{ clock: host.clock, address: "127.90.0.2", spec: { name: "a", ...spec } },
      container: { signal: () => {}, exited: new Promise(() => {}), exec: never },
    },
    startedAt,
    onFailure: (kind, { output }) => tell(`${kind} ${output}`),
    onThresholdReached: (kind, isOk) => tell(`${kind} is ${isOk ? "ok" : "failed"}`),
    run: async (_, { exec }) => {
      const answer = answers[exec?.command?.[0] ?? ""];
      if (answer === undefined) throw new Error("cannot");
      return { isOk: answer, output: "no" };
    },
  });
  return { host, told, answers, stop };
}
const asks = (name: string, more: object = {}) => ({ exec: { command: [name] }, ...more });

test("readiness is asked after its delay, then in its rhythm, and counts by its thresholds", async () => {
  const { host, told, answers } = probed({
    readinessProbe: asks("readiness", {
      ...{ initialDelaySeconds: 2, periodSeconds: 5, successThreshold: 2, failureThreshold: 2 },
    }),
  });
  await host.advance(8000);
  expect(told).toEqual(["7 Readiness is ok"]);
  answers["readiness"] = false;
  await host.advance(10_000);
  expect(told.slice(1)).toEqual(["12 Readiness no", "17 Readiness no", "17 Readiness is failed"]);
});

test("nothing else is asked before the startup probe succeeded, which is not asked again", async () => {
  const { host, told, answers } = probed({
    startupProbe: asks("startup", { periodSeconds: 1, failureThreshold: 5 }),
    livenessProbe: asks("liveness", { periodSeconds: 10 }),
  });
  answers["startup"] = false;
  answers["liveness"] = false;
  await host.advance(1500);
  expect(told).toEqual(["0 Startup no", "1 Startup no"]);
  answers["startup"] = true;
  await host.advance(1000);
  expect(told.slice(2)).toEqual(["2 Startup is ok", "2 Liveness no"]);
});

test("who failed for good is not asked again", async () => {
  const { host, told, answers } = probed({ livenessProbe: asks("liveness", { periodSeconds: 1 }) });
  answers["liveness"] = false;
  await host.advance(10_000);
  expect(told).toEqual(["0 Liveness no", "1 Liveness no", "2 Liveness no", "2 Liveness is failed"]);
});

test("a probe that cannot be done is told, and decides nothing", async () => {
  const { host, told, answers } = probed({ livenessProbe: asks("liveness", { failureThreshold: 1 }) });
  delete answers["liveness"];
  await host.advance(15_000);
  expect(told).toEqual(["0 Liveness cannot", "10 Liveness cannot"]);
});

test("after the stop nothing is asked", async () => {
  const { host, told, answers, stop } = probed({ readinessProbe: asks("readiness", { periodSeconds: 1 }) });
  await host.advance(100);
  stop();
  answers["readiness"] = false;
  await host.advance(10_000);
  expect(told).toEqual(["0 Readiness is ok"]);
});
