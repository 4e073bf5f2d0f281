import { expect, test } from "vitest";
import { abortSignalOf, Stop } from "./stop-signal.ts";

test("tells all who listen once, and nobody who has gone", () => {
  const stop = new Stop();
  const told: string[] = [];
  const gone = () => told.push("gone");
  stop.addEventListener("abort", () => told.push("one"));
  stop.addEventListener("abort", () => told.push("two"));
  stop.addEventListener("abort", gone);
  stop.removeEventListener("abort", gone);
  expect(stop.aborted).toBe(false);
  stop.abort();
  stop.abort();
  expect(stop.aborted).toBe(true);
  expect(told).toEqual(["one", "two"]);
});

test("is an AbortSignal for who wants one, before and after", () => {
  const stop = new Stop();
  const before = abortSignalOf(stop);
  expect(before.aborted).toBe(false);
  stop.abort();
  expect(before.aborted).toBe(true);
  expect(abortSignalOf(stop).aborted).toBe(true);
  expect(abortSignalOf(before)).toBe(before);
  expect(abortSignalOf(stop)).toBe(before);
});
