import { expect, test } from "vitest";
import { CronSyntaxError } from "./cron-field.ts";
import { findTimeZone } from "./time-zone.ts";
import { parseZonedSchedule } from "./zoned-schedule.ts";

const from = Date.parse("2026-11-22T10:07:30Z");

function first(text: string, timeZone: string): string {
  return new Date(parseZonedSchedule(text, { timeZone })(from) ?? Number.NaN).toISOString();
}

test.each([
  ["0 9 * * *", "Asia/Kolkata", "2026-11-23T03:30:00.000Z"],
  ["0 9 * * *", "", "2026-11-23T09:00:00.000Z"],
  ["CRON_TZ=Asia/Tokyo 0 9 * * *", "Asia/Kolkata", "2026-11-23T00:00:00.000Z"],
  ["TZ=Asia/Tokyo @daily", "UTC", "2026-11-22T15:00:00.000Z"],
])("%s in the zone %j is first at %s", (text, timeZone, expected) => {
  expect(first(text, timeZone)).toBe(expected);
});

test("Local is the zone of the caller", () => {
  const local = findTimeZone("Asia/Tokyo");
  const next = parseZonedSchedule("0 9 * * *", { timeZone: "Local", ...(local && { local }) });
  expect(new Date(next(from) ?? Number.NaN).toISOString()).toBe("2026-11-23T00:00:00.000Z");
});

test.each([
  ["0 9 * * *", "Mars/Olympus", 'unknown time zone "Mars/Olympus"'],
  ["TZ=Nowhere 0 9 * * *", "UTC", 'unknown time zone "Nowhere"'],
  ["TZ=UTC", "UTC", "a zone without a schedule"],
])("%s in %s is rejected", (text, timeZone, message) => {
  expect(() => parseZonedSchedule(text, { timeZone })).toThrow(new CronSyntaxError(message));
});
