import { expect, test } from "vitest";
import { parseTraceparent, printTraceparent } from "./traceparent.ts";

const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];

test("parses what it prints", () => {
  const identity = { traceId, spanId, traceFlags: 1 };
  expect(printTraceparent(identity)).toBe(`00-${traceId}-${spanId}-01`);
  expect(parseTraceparent(printTraceparent(identity))).toEqual(identity);
});

test("accepts fields of later versions", () => {
  expect(parseTraceparent(`01-${traceId}-${spanId}-00-more`)).toEqual({ traceId, spanId, traceFlags: 0 });
});

test.each([
  "",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
])("rejects %j", (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
