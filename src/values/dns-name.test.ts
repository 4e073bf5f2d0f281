import { expect, test } from "vitest";
import { isDnsSubdomain } from "./dns-name.ts";

test.each(["a", "a.b-c.1", "a".repeat(253)])("an object may be called %j", (name) => {
  expect(isDnsSubdomain(name)).toBe(true);
});

test.each(["", ".a", "a..b", "a.-b", "A.b", "a".repeat(254)])("no object may be called %j", (name) => {
  expect(isDnsSubdomain(name)).toBe(false);
});
