import { expect, test } from "vitest";
import { findTimeZone } from "./time-zone.ts";

test("a zone is the same one for each schedule that names it, in any spelling", () => {
  const berlin = findTimeZone("Europe/Berlin");
  expect(berlin?.offsetAt(Date.UTC(2026, 6, 1))).toBe(7_200_000);
  expect(findTimeZone("Europe/Berlin")).toBe(berlin);
  expect(findTimeZone("europe/BERLIN")).toBe(berlin);
  expect(findTimeZone("Europe/Paris")).not.toBe(berlin);
  expect(findTimeZone("Mars")).toBeUndefined();
});
