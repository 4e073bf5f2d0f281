import { expect, test } from "vitest";
import { submitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { keyedQueue } from "../../net/keyed-queue.ts";
import { podLogs } from "../logs/pod-logs.ts";
import type { ApplicationEnd } from "../model/application.ts";
import { testRecord } from "../model/test-application.ts";
import { applicationIndex } from "./application-index.ts";
import { type Entry, newEntry } from "./entry.ts";
import { expiredEntries, startRetention } from "./retention.ts";

const retention = { keepMs: 1000, maxEnded: 10 };

test("an application is removed when it has expired, and not before", () => {
  const entries = [entry("a", { atMs: 4000 }), entry("b", { atMs: 4001 })];
  expect(keysOf(expiredEntries(entries, retention, 5000))).toEqual(["a"]);
});

test("an application that has not ended is kept", () => {
  expect(expiredEntries([entry("a", undefined)], retention, 1e9)).toEqual([]);
});

test("an application whose end is not stored yet is kept", () => {
  const running = entry("a", undefined);
  running.end = { state: "failed", atMs: 0, hasStarted: true };
  expect(expiredEntries([running], retention, 1e9)).toEqual([]);
});

test("an application with a time to live is removed after it, even if its driver pod exists", () => {
  const [short, long] = [entry("short", { atMs: 0 }), entry("long", { atMs: 0 })];
  short.record = { ...short.record, lifetime: { timeToLiveSeconds: 5 } };
  short.hasPod = true;
  long.record = { ...long.record, lifetime: { timeToLiveSeconds: 10 } };
  expect(keysOf(expiredEntries([short, long], retention, 5000))).toEqual(["short"]);
});

test("an application is kept while its driver pod exists", () => {
  const kept = entry("a", { atMs: 0 });
  kept.hasPod = true;
  expect(expiredEntries([kept], retention, 1e9)).toEqual([]);
});

test("the applications that ended first are removed beyond the number, whether their pods exist or not", () => {
  const entries = [entry("a", { atMs: 300 }), entry("b", { atMs: 100 }), entry("c", { atMs: 200 })];
  for (const ended of entries) ended.hasPod = true;
  expect(keysOf(expiredEntries(entries, { keepMs: 1e6, maxEnded: 1 }, 400))).toEqual(["b", "c"]);
});

test("an end before the acceptance counts from the acceptance", () => {
  const wrongClock = entry("a", { atMs: 0 }, 5000);
  expect(expiredEntries([wrongClock], retention, 5500)).toEqual([]);
});

test("an application that a client has removed is removed once it has ended and its end is delivered", () => {
  const end = { state: "killed", atMs: 0, hasStarted: true } as const;
  const removed = (key: string, changes: Partial<Entry>, undelivered: readonly string[] = []) => {
    const created = entry(key, undefined);
    return Object.assign(created, { record: { ...created.record, isRemoved: true, undelivered } }, changes);
  };
  const entries = [removed("running", {}), removed("undelivered", { end }, ["chat"]), removed("ended", { end })];
  expect(keysOf(expiredEntries(entries, retention, 0))).toEqual(["ended"]);
});

/** Starts the retention of a store whose removals fail while `failing` has their key. */
function startTestRetention(keys: readonly string[]) {
  const host = testHost({ now: 1e6 });
  const { transport } = testApi();
  const client = kubeClient({
    transport,
    server: "https://api",
    clock: host.clock,
    log: () => {},
    requestTimeoutMs: 1,
  });
  const index = applicationIndex();
  for (const key of keys) index.add(entry(key, { atMs: 0 }));
  const failing = new Set<string>();
  const [tried, reported, logged]: [string[], string[], unknown[]] = [[], [], []];
  const unused = async () => {
    throw new Error("The retention only removes records.");
  };
  const store = {
    ...{ list: unused, create: unused, update: unused, reserveIds: unused },
    async remove(key: string) {
      tried.push(key);
      if (failing.has(key))
        throw submitError("SUBMIT_ERR_KUBE_TIMEOUT", { method: "", path: "", server: "", limitMs: 1 });
    },
  };
  const ending = new AbortController();
  const start = () =>
    startRetention(
      {
        ...{ host, client, index, store, logs: podLogs(client), changes: keyedQueue(), removedPods: new Set() },
        log: (level, text, { key, omitted } = {}) => void logged.push([level, text, key, omitted]),
        ...{ listeners: new Set([(key: string) => void reported.push(key)]), ending: ending.signal },
      },
      retention,
    );
  return { host, index, failing, tried, reported, logged, start };
}

test("one removal is tried every 10 s while the API is down, and one in a minute is logged", async () => {
  const { host, failing, tried, reported, logged, start } = startTestRetention(["a", "b", "c"]);
  for (const key of ["a", "b", "c"]) failing.add(key);
  start();
  await host.advance(29_999);
  expect(tried).toEqual(["a", "b", "c"]);
  expect(logged).toEqual([["WARN", "An application cannot be removed, and is removed again.", "a", undefined]]);
  await host.advance(40_000);
  expect(logged.length).toBe(2);
  expect(reported).toEqual([]);
  failing.clear();
  await host.advance(10_000);
  expect(reported.toSorted()).toEqual(["a", "b", "c"]);
});

test("an application that cannot be removed does not keep the others from it", async () => {
  const { host, index, failing, reported, start } = startTestRetention(["a", "b", "c"]);
  failing.add("a").add("b");
  start();
  await host.advance(29_999);
  expect([reported, keysOf([...index.all()])]).toEqual([["c"], ["a", "b"]]);
});

test("the removal of an application that a client has removed is completed, and not reported again", async () => {
  const { host, index, failing, tried, reported, start } = startTestRetention(["a"]);
  for (const each of index.all()) each.record = { ...each.record, isRemoved: true };
  failing.add("a");
  start();
  await host.advance(0);
  failing.clear();
  await host.advance(10_000);
  expect([tried, reported, [...index.all()]]).toEqual([["a", "a"], [], []]);
});

function entry(key: string, end: Pick<ApplicationEnd, "atMs"> | undefined, acceptedMs = 0): Entry {
  const ended = end && ({ state: "succeeded", hasStarted: true, ...end } as const);
  return newEntry(testRecord({ key, protocol: "livy", id: key, acceptedMs, end: ended }));
}

function keysOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ record }) => record.key);
}
