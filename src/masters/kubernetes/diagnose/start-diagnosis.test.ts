import { expect, test } from "vitest";
import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { latestPod } from "../watch/latest-pod.ts";
import { startDiagnosis } from "./start-diagnosis.ts";

const missing: Diagnosis = {
  cause: "image-not-found",
  isTerminal: true,
  message: "The image img:1 does not exist.",
  nextStep: "Correct its name.",
  key: "spark.kubernetes.container.image",
  evidence: [{ in: "event", text: "Failed to pull image, exit code: 7\nsecond line" }],
};
const full: Diagnosis = {
  ...missing,
  cause: "insufficient-cpu",
  isTerminal: false,
  message: "No CPU is free.",
};

const pending: Pod = { metadata: { name: "drv", resourceVersion: "1" }, status: { phase: "Pending" } };

/** Starts the diagnosis of a driver, with diagnoses that the test sets. */
function diagnosing(first: Diagnosis | undefined, rules?: () => Diagnosis | undefined) {
  const host = testHost();
  const { clock } = host;
  const logged: string[] = [];
  const unrecoverable: string[] = [];
  const over = new AbortController();
  let now = first;
  let observations = 0;
  let changed = () => {};
  let isSteady = false;
  let hasExecutors = false;
  const monitor = startDiagnosis({
    clock,
    log: (level, _, text) => logged.push(`${level} ${text}`),
    latest: latestPod(pending),
    container: "main",
    observer: {
      observe: async () => {
        observations += 1;
        return { now: 0, properties: {}, executors: [], events: [], objects: [] };
      },
      onChange(listener) {
        changed = listener;
        return () => {};
      },
      isSteady: () => isSteady,
      hasExecutors: () => hasExecutors,
    },
    diagnose: rules ?? (() => now),
    onUnrecoverable: ({ cause }) => unrecoverable.push(cause),
    signal: over.signal,
  });
  const set = (diagnosis: Diagnosis | undefined) => {
    now = diagnosis;
    changed();
  };
  const setSteady = () => {
    isSteady = true;
  };
  const setExecutors = () => {
    hasExecutors = true;
  };
  return {
    clock,
    logged,
    unrecoverable,
    over,
    set,
    monitor,
    setSteady,
    setExecutors,
    observations: () => observations,
  };
}

const block = [
  "WARN The image img:1 does not exist.",
  "\t evidence (event): Failed to pull image, exit code 7",
  "\t next step: Correct its name.",
  "\t setting: spark.kubernetes.container.image",
].join("\n");

test("a problem is logged once, in one block, within seconds", async () => {
  const { clock, logged, unrecoverable, over, monitor } = diagnosing(missing);
  await clock.advance(4000);
  expect(logged).toEqual([block]);
  await clock.advance(600_000);
  expect(logged).toEqual([block]);
  expect(unrecoverable[0]).toBe("image-not-found");
  expect(monitor.current()).toBe(missing);
  over.abort();
});

test("another problem and its resolution are logged, but not a short interruption", async () => {
  const { clock, logged, over, set } = diagnosing(missing);
  await clock.advance(4000);
  set(undefined);
  await clock.advance(3000);
  set(missing);
  await clock.advance(60_000);
  expect(logged).toHaveLength(1);
  set(full);
  await clock.advance(1000);
  const rest = block.slice(block.indexOf("\n"));
  expect(logged.slice(1)).toEqual([`WARN No CPU is free.${rest}`]);
  set(undefined);
  await clock.advance(12_000);
  expect(logged.slice(2)).toEqual(["INFO Resolved: No CPU is free."]);
  over.abort();
});

test("a problem with a changing message is logged once a minute", async () => {
  const { clock, logged, over, set } = diagnosing(full);
  for (let second = 0; second < 120; second += 1) {
    set({ ...full, message: `No CPU is free for ${second} s.` });
    await clock.advance(1000);
  }
  expect(logged).toHaveLength(2);
  over.abort();
});

test("a problem is not logged again if only a local port differs", async () => {
  const { clock, logged, over, set } = diagnosing(full);
  await clock.advance(70_000);
  for (const port of [45004, 45006]) {
    set({ ...full, message: `read udp 10.0.0.2:${port}->10.0.0.10:53: i/o timeout` });
    await clock.advance(70_000);
  }
  expect(logged).toHaveLength(2);
  over.abort();
});

test("a driver without changes is observed at intervals, and one with many changes at most three times a second", async () => {
  const quiet = diagnosing(undefined);
  await quiet.clock.advance(60_000);
  expect(quiet.observations()).toBeLessThan(21);
  expect(quiet.observations()).toBeGreaterThan(15);
  quiet.setSteady();
  await quiet.clock.advance(60_000);
  expect(quiet.observations()).toBeLessThan(26);
  quiet.over.abort();
  const busy = diagnosing(undefined);
  for (let count = 0; count < 1000; count += 1) {
    busy.set(undefined);
    await busy.clock.advance(10);
  }
  expect(busy.observations()).toBeLessThan(35);
  busy.over.abort();
});

test("a failure of the rules is logged once and does not stop the diagnosis", async () => {
  const failing = diagnosing(undefined, () => {
    throw new TypeError("no such field");
  });
  await failing.clock.advance(60_000);
  expect(failing.observations()).toBeGreaterThan(15);
  expect(await failing.clock.settle(failing.monitor.finalDiagnosis({ isDeleted: false }))).toBeUndefined();
  expect(failing.logged).toEqual([
    "WARN Cannot diagnose the driver: no such field. This is an error in Firesteel; please report it.",
  ]);
  failing.over.abort();
});

test("a temporary or resolved problem is not unrecoverable", async () => {
  const temporary = diagnosing(full);
  await temporary.clock.advance(4000);
  temporary.set({ ...missing, isResolved: true });
  await temporary.clock.advance(4000);
  expect(temporary.unrecoverable).toEqual([]);
  expect(temporary.monitor.current()).toBeUndefined();
  temporary.over.abort();
});

test("a problem of a driver that succeeded is logged, if it had executors", async () => {
  const { clock, logged, over, monitor, setExecutors } = diagnosing(full);
  over.abort();
  await clock.settle(monitor.warnAtSuccess());
  expect(logged).toEqual([]);
  setExecutors();
  await clock.settle(monitor.warnAtSuccess());
  expect(logged).toEqual([expect.stringContaining("WARN No CPU is free.")]);
});
