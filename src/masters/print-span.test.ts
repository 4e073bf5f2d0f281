import { expect, test } from "vitest";
import { printSpan } from "./print-span.ts";

test.each([
  [0, "0 s"],
  [250, "250 ms"],
  [1999, "1 s"],
  [90_000, "1 min 30 s"],
  [600_000, "10 min"],
  [5_400_000, "1 h 30 min"],
  [3_601_000, "1 h"],
  [90_000_000, "1 d 1 h"],
])("%i ms is %s", (ms, text) => {
  expect(printSpan(ms)).toBe(text);
});
