import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Container } from "../../../kube/types.ts";
import { startProbing } from "./start-probing.ts";

/** Starts probes with configurable results, and records each report with its second. */
function probed(spec: Partial<Container>) {
  const host = testHost();
  const reports: string[] = [];
  const outcomes: Record<string, boolean> = { startup: true, readiness: true, liveness: true };
  const startedAt = host.clock.now();
  const report = (what: string) => reports.push(`${(host.clock.now() - startedAt) / 1000} ${what}`);
  const never = () => Promise.reject(new Error("unused"));
  const stop = startProbing({
    target: {
      ...{ clock: host.clock, address: "127.90.0.2", spec: { name: "a", ...spec } },
      connect: never,
      container: { signal: () => {}, exited: new Promise(() => {}), exec: never },
    },
    startedAt,
    onFailure: (kind, { output }) => report(`${kind} ${output}`),
    onThresholdReached: (kind, isOk) => report(`${kind} is ${isOk ? "ok" : "failed"}`),
    run: async (_, { exec }) => {
      const outcome = outcomes[exec?.command?.[0] ?? ""];
      if (outcome === undefined) throw new Error("cannot");
      return { isOk: outcome, output: "no" };
    },
  });
  return { host, reports, outcomes, stop };
}
const execProbe = (name: string, more: object = {}) => ({ exec: { command: [name] }, ...more });

test("runs the readiness probe after its delay and at its period, and applies its thresholds", async () => {
  const { host, reports, outcomes } = probed({
    readinessProbe: execProbe("readiness", {
      ...{ initialDelaySeconds: 2, periodSeconds: 5, successThreshold: 2, failureThreshold: 2 },
    }),
  });
  await host.advance(8000);
  expect(reports).toEqual(["7 Readiness is ok"]);
  outcomes["readiness"] = false;
  await host.advance(10_000);
  expect(reports.slice(1)).toEqual(["12 Readiness no", "17 Readiness no", "17 Readiness is failed"]);
});

test("runs no other probe until the startup probe has succeeded, and then ends that one", async () => {
  const { host, reports, outcomes } = probed({
    startupProbe: execProbe("startup", { periodSeconds: 1, failureThreshold: 5 }),
    livenessProbe: execProbe("liveness", { periodSeconds: 10 }),
  });
  outcomes["startup"] = false;
  outcomes["liveness"] = false;
  await host.advance(1500);
  expect(reports).toEqual(["0 Startup no", "1 Startup no"]);
  outcomes["startup"] = true;
  await host.advance(1000);
  expect(reports.slice(2)).toEqual(["2 Startup is ok", "2 Liveness no"]);
});

test("stops probing after the liveness probe reached its failure threshold", async () => {
  const { host, reports, outcomes } = probed({ livenessProbe: execProbe("liveness", { periodSeconds: 1 }) });
  outcomes["liveness"] = false;
  await host.advance(10_000);
  expect(reports).toEqual(["0 Liveness no", "1 Liveness no", "2 Liveness no", "2 Liveness is failed"]);
});

test("reports a probe that cannot run without counting it", async () => {
  const { host, reports, outcomes } = probed({
    livenessProbe: execProbe("liveness", { failureThreshold: 1 }),
  });
  delete outcomes["liveness"];
  await host.advance(15_000);
  expect(reports).toEqual(["0 Liveness cannot", "10 Liveness cannot"]);
});

test("does not probe after stop", async () => {
  const { host, reports, outcomes, stop } = probed({
    readinessProbe: execProbe("readiness", { periodSeconds: 1 }),
  });
  await host.advance(100);
  stop();
  outcomes["readiness"] = false;
  await host.advance(10_000);
  expect(reports).toEqual(["0 Readiness is ok"]);
});
