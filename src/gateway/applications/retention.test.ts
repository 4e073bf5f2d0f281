import { expect, test } from "vitest";
import type { ApplicationEnd } from "../model/application.ts";
import { testRecord } from "../model/test-application.ts";
import { type Entry, newEntry } from "./entry.ts";
import { expiredEntries } from "./retention.ts";

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

function entry(key: string, end: Pick<ApplicationEnd, "atMs"> | undefined, acceptedMs = 0): Entry {
  const ended = end && ({ state: "succeeded", hasStarted: true, ...end } as const);
  return newEntry(testRecord({ key, protocol: "livy", id: key, acceptedMs, end: ended }));
}

function keysOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ record }) => record.key);
}
