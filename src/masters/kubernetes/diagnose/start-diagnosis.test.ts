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

/** Looks at a driver whose diagnosis the test decides. */
function troubled(first: Diagnosis | undefined, rules?: () => Diagnosis | undefined) {
  const host = testHost();
  const { clock } = host;
  const told: string[] = [];
  const hopeless: string[] = [];
  const over = new AbortController();
  let now = first;
  let looks = 0;
  let changed = () => {};
  let isSteady = false;
  const trouble = startDiagnosis({
    clock,
    log: (level, _, text) => told.push(`${level} ${text}`),
    latest: latestPod(pending),
    container: "main",
    observer: {
      observe: async () => {
        looks += 1;
        return { now: 0, properties: {}, executors: [], events: [], objects: [] };
      },
      onChange(listener) {
        changed = listener;
        return () => {};
      },
      isSteady: () => isSteady,
    },
    diagnose: rules ?? (() => now),
    onUnrecoverable: ({ cause }) => hopeless.push(cause),
    signal: over.signal,
  });
  const set = (diagnosis: Diagnosis | undefined) => {
    now = diagnosis;
    changed();
  };
  const calm = () => {
    isSteady = true;
  };
  return { clock, told, hopeless, over, set, trouble, calm, looks: () => looks };
}

const block = [
  "WARN The image img:1 does not exist.",
  "\t seen (event): Failed to pull image, exit code 7",
  "\t next step: Correct its name.",
  "\t setting: spark.kubernetes.container.image",
].join("\n");

test("a trouble is told once, in one block, within seconds", async () => {
  const { clock, told, hopeless, over, trouble } = troubled(missing);
  await clock.advance(4000);
  expect(told).toEqual([block]);
  await clock.advance(600_000);
  expect(told).toEqual([block]);
  expect(hopeless[0]).toBe("image-not-found");
  expect(trouble.current()).toBe(missing);
  over.abort();
});

test("another trouble is told, and that it has passed, but not each flicker", async () => {
  const { clock, told, over, set } = troubled(missing);
  await clock.advance(4000);
  set(undefined);
  await clock.advance(3000);
  set(missing);
  await clock.advance(60_000);
  expect(told).toHaveLength(1);
  set(full);
  await clock.advance(1000);
  const rest = block.slice(block.indexOf("\n"));
  expect(told.slice(1)).toEqual([`WARN No CPU is free.${rest}`]);
  set(undefined);
  await clock.advance(12_000);
  expect(told.slice(2)).toEqual(["INFO This has passed: No CPU is free."]);
  over.abort();
});

test("the same trouble in ever other words is told once a minute", async () => {
  const { clock, told, over, set } = troubled(full);
  for (let second = 0; second < 120; second += 1) {
    set({ ...full, message: `No CPU is free for ${second} s.` });
    await clock.advance(1000);
  }
  expect(told).toHaveLength(2);
  over.abort();
});

test("a port of the node makes no other words", async () => {
  const { clock, told, over, set } = troubled(full);
  await clock.advance(70_000);
  for (const port of [45004, 45006]) {
    set({ ...full, message: `read udp 10.0.0.2:${port}->10.0.0.10:53: i/o timeout` });
    await clock.advance(70_000);
  }
  expect(told).toHaveLength(2);
  over.abort();
});

test("what is quiet is looked at now and then, and what swarms not more than three times a second", async () => {
  const quiet = troubled(undefined);
  await quiet.clock.advance(60_000);
  expect(quiet.looks()).toBeLessThan(21);
  expect(quiet.looks()).toBeGreaterThan(15);
  quiet.calm();
  await quiet.clock.advance(60_000);
  expect(quiet.looks()).toBeLessThan(26);
  quiet.over.abort();
  const swarm = troubled(undefined);
  for (let count = 0; count < 1000; count += 1) {
    swarm.set(undefined);
    await swarm.clock.advance(10);
  }
  expect(swarm.looks()).toBeLessThan(35);
  swarm.over.abort();
});

test("rules that fail at what they see end nothing, and are told of once", async () => {
  const failing = troubled(undefined, () => {
    throw new TypeError("no such field");
  });
  await failing.clock.advance(60_000);
  expect(failing.looks()).toBeGreaterThan(15);
  expect(await failing.clock.settle(failing.trouble.verdict({ isDeleted: false }))).toBeUndefined();
  expect(failing.told).toEqual([
    "WARN What is seen of the driver cannot be judged: no such field. This is a fault of Firesteel; please report it.",
  ]);
  failing.over.abort();
});

test("what passes by itself, or is over, is no reason to give up", async () => {
  const passing = troubled(full);
  await passing.clock.advance(4000);
  passing.set({ ...missing, isResolved: true });
  await passing.clock.advance(4000);
  expect(passing.hopeless).toEqual([]);
  expect(passing.trouble.current()).toBeUndefined();
  passing.over.abort();
});
