import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

test("parses Retry-After in seconds or as a date, and ignores other text", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter("3", now)).toBe(3000);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:00:05 GMT", now)).toBe(5000);
  expect(parseRetryAfter("Thu, 01 Jan 2025 00:00:05 GMT", now)).toBe(0);
  expect(parseRetryAfter("Thursday, 01-Jan-26 00:00:05 GMT", now)).toBe(5000);
  for (const text of ["soon", "5.5", "-5", ""]) expect(parseRetryAfter(text, now)).toBeUndefined();
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});
