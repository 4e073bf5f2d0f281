import { expect, test } from "vitest";
import { parseRange } from "./range.ts";

test.each([
  [undefined, { kind: "whole" }],
  ["bytes=0-0", { kind: "part", start: 0, end: 1 }],
  ["bytes=2-5", { kind: "part", start: 2, end: 6 }],
  ["bytes=8-", { kind: "part", start: 8, end: 10 }],
  ["bytes=8-99", { kind: "part", start: 8, end: 10 }],
  ["bytes=-3", { kind: "part", start: 7, end: 10 }],
  ["bytes=-99", { kind: "part", start: 0, end: 10 }],
  ["bytes=10-", { kind: "none" }],
  ["bytes=-0", { kind: "none" }],
  ["bytes=5-2", { kind: "whole" }],
  ["bytes=0-1,3-4", { kind: "whole" }],
  ["lines=0-1", { kind: "whole" }],
])("%s of ten bytes", (header, range) => {
  expect(parseRange(header, 10)).toEqual(range);
});
