import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextTime, parseCronSchedule } from "./cron-schedule.ts";
import { findTimeZone, localTime, utc, zonedTimestamp } from "./time-zone.ts";

/** Returns the next times of a schedule, with the zone's offset. */
function times(text: string, after: string, { count = 1, zone = "UTC" } = {}): string[] {
  const schedule = parseCronSchedule(text);
  const found = findTimeZone(zone) ?? utc;
  const result: string[] = [];
  let ms = Date.parse(after);
  for (let left = count; left > 0; left--) {
    ms = nextTime(schedule, ms, found) ?? Number.NaN;
    result.push(zonedTimestamp(found, ms));
  }
  return result;
}

const newYear = "2026-01-01T00:00:00Z";

describe("the next time of a schedule", () => {
  test.each([
    ["*/15 * * * *", ["2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"]],
    ["30 8-9/1 * * mon-WED,5", ["2026-01-02T08:30:00Z", "2026-01-02T09:30:00Z"]],
    ["0 0 29 2 *", ["2028-02-29T00:00:00Z"]],
    ["0 12 13 * fri", ["2026-01-02T12:00:00Z", "2026-01-09T12:00:00Z", "2026-01-13T12:00:00Z"]],
    ["5/20 3 ? jan *", ["2026-01-01T03:05:00Z", "2026-01-01T03:25:00Z", "2026-01-01T03:45:00Z"]],
    ["@hourly", ["2026-01-01T01:00:00Z"]],
    ["@weekly", ["2026-01-04T00:00:00Z"]],
    ["@yearly", ["2027-01-01T00:00:00Z"]],
    ["@every 1h30m", ["2026-01-01T01:30:00Z", "2026-01-01T03:00:00Z"]],
  ])("%s is %j", (text, expected) => {
    expect(times(text, newYear, { count: expected.length })).toEqual(expected);
  });

  test("does not exist for a day that no month has", () => {
    expect(nextTime(parseCronSchedule("59 23 31 2 *"), Date.parse(newYear))).toBeUndefined();
  });

  test("is in the schedule's time zone", () => {
    const zone = "Asia/Kolkata";
    expect(times("0 9 * * *", newYear, { zone })).toEqual(["2026-01-01T09:00:00+05:30"]);
  });

  test("leaves out an hour that the zone skips, and applies twice to an hour that it repeats", () => {
    const zone = "Europe/Berlin";
    expect(times("30 2 * * *", "2026-03-28T12:00:00Z", { zone })).toEqual(["2026-03-30T02:30:00+02:00"]);
    expect(times("30 2 * * *", "2026-10-24T12:00:00Z", { zone, count: 3 })).toEqual([
      "2026-10-25T02:30:00+02:00",
      "2026-10-25T02:30:00+01:00",
      "2026-10-26T02:30:00+01:00",
    ]);
  });

  test("is later, matches the fields, and no earlier time does", () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant("*"),
        fc.integer({ min, max }).map(String),
        fc
          .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
          .map((pair) => pair.sort((a, b) => a - b).join("-")),
        fc.integer({ min: 1, max }).map((step) => `*/${step}`),
      );
    const start = fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2027-01-01") });
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu");
    fc.assert(
      fc.property(field(0, 59), field(0, 23), start, zones, (minutes, hours, after, name) => {
        const schedule = parseCronSchedule(`${minutes} ${hours} * * *`);
        const zone = findTimeZone(name) ?? utc;
        const next = nextTime(schedule, after, zone) ?? Number.NaN;
        const isMatch = (ms: number) => {
          const { minute, hour } = localTime(zone, ms);
          return schedule.type === "fields" && schedule.minutes.values.has(minute) && schedule.hours.values.has(hour);
        };
        expect(next).toBeGreaterThan(after);
        expect(isMatch(next)).toBe(true);
        for (let ms = (Math.floor(after / 60_000) + 1) * 60_000; ms < next; ms += 60_000)
          expect(isMatch(ms)).toBe(false);
      }),
    );
  });
});

describe("a schedule is rejected", () => {
  test.each([
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ["@often", "unrecognized descriptor: @often"],
    ["@every 9999999h", 'failed to parse duration 9999999h: time: invalid duration "9999999h"'],
    ["@every day", 'failed to parse duration day: time: invalid duration "day"'],
  ])("%s: %s", (text, message) => {
    expect(() => parseCronSchedule(text)).toThrow(message);
  });
});

describe("a time zone", () => {
  test("is found by its name in the IANA database", () => {
    for (const name of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
      expect(findTimeZone(name)).toBeDefined();
    for (const name of ["", "Berlin", "Europe/../Berlin", "+01:00", "Europe//Berlin"])
      expect(findTimeZone(name)).toBeUndefined();
  });
});
