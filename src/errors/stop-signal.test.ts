import { expect, test } from "vitest";
import { abortSignalOf, Stop } from "./stop-signal.ts";

test("calls each listener once, and none that was removed", () => {
  const stop = new Stop();
  const calls: string[] = [];
  const removed = () => calls.push("removed");
  stop.addEventListener("abort", () => calls.push("one"));
  stop.addEventListener("abort", () => calls.push("two"));
  stop.addEventListener("abort", removed);
  stop.removeEventListener("abort", removed);
  expect(stop.aborted).toBe(false);
  stop.abort();
  stop.abort();
  expect(stop.aborted).toBe(true);
  expect(calls).toEqual(["one", "two"]);
});

test("abortSignalOf returns one AbortSignal with the same state, before and after the abort", () => {
  const stop = new Stop();
  const before = abortSignalOf(stop);
  expect(before.aborted).toBe(false);
  stop.abort();
  expect(before.aborted).toBe(true);
  expect(abortSignalOf(stop).aborted).toBe(true);
  expect(abortSignalOf(before)).toBe(before);
  expect(abortSignalOf(stop)).toBe(before);
});
