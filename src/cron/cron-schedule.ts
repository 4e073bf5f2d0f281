import { goQuoted } from "../values/go-quoted.ts";
import { type CronField, type CronFieldKind, CronSyntaxError, parseCronField } from "./cron-field.ts";
import { localTime, startOfDay, type TimeZone, utc } from "./time-zone.ts";

/** When a cron job runs: at the times of five fields, or in a fixed interval. */
export type CronSchedule =
  | {
      readonly type: "fields";
      readonly minutes: CronField;
      readonly hours: CronField;
      readonly days: CronField;
      readonly months: CronField;
      readonly weekdays: CronField;
    }
  | { readonly type: "interval"; readonly intervalMs: number };

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const kinds = {
  minutes: { min: 0, max: 59 },
  hours: { min: 0, max: 23 },
  days: { min: 1, max: 31 },
  months: { min: 1, max: 12, names: monthNames },
  weekdays: { min: 0, max: 6, names: weekdayNames },
} satisfies Record<string, CronFieldKind>;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const every = "@every ";

/** Parses a schedule such as `0/5 8-17 * * mon-fri`, `@daily` or `@every 90m`. @throws CronSyntaxError */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new CronSyntaxError("empty spec string");
  if (text.startsWith(every)) return { type: "interval", intervalMs: parseInterval(text.slice(every.length)) };
  const known = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (text.startsWith("@") && known === undefined) throw new CronSyntaxError(`unrecognized descriptor: ${text}`);
  const fields = (known ?? text).split(/\s+/).filter((field) => field !== "");
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = fields;
  if (fields.length !== 5)
    throw new CronSyntaxError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  return {
    type: "fields",
    minutes: parseCronField(minutes, kinds.minutes),
    hours: parseCronField(hours, kinds.hours),
    days: parseCronField(days, kinds.days),
    months: parseCronField(months, kinds.months),
    weekdays: parseCronField(weekdays, kinds.weekdays),
  };
}

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Maximum duration of Go: 2^63 ns. */
const maxDurationMs = 2 ** 63 / 1e6;

/** Parses a duration of Go, e.g. `1h30m`. @returns ms: at least a second, without fractions of one */
function parseInterval(text: string): number {
  const unsigned = text.replace(/^[+-]/, "");
  const parts = [...unsigned.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  const ms = parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (unitsMs[unit] ?? 0), 0);
  if (unsigned === "0") return 1_000;
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== unsigned || ms > maxDurationMs)
    throw new CronSyntaxError(`failed to parse duration ${text}: time: invalid duration ${goQuoted(text)}`);
  return text.startsWith("-") ? 1_000 : Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
}

const minuteMs = 60_000;
const maxYears = 5;

/**
 * Returns the first time of a schedule after a time, in ms; `undefined` if there is none within five years.
 *
 * Hours that the zone skips are left out; in hours that it repeats, the schedule applies twice.
 */
export function nextTime(schedule: CronSchedule, afterMs: number, zone: TimeZone = utc): number | undefined {
  if (schedule.type === "interval") return Math.floor(afterMs / 1_000) * 1_000 + schedule.intervalMs;
  const { minutes, hours, months } = schedule;
  const lastYear = localTime(zone, afterMs).year + maxYears;
  let ms = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  for (;;) {
    const time = localTime(zone, ms);
    const { year, month, day, hour, minute, weekday } = time;
    if (year > lastYear) return undefined;
    if (!months.values.has(month)) ms = startOfDay(zone, { year, month: month + 1, day: 1 });
    else if (!isDay(schedule, day, weekday)) ms = startOfDay(zone, { year, month, day: day + 1 });
    else if (!hours.values.has(hour)) ms += (60 - minute) * minuteMs;
    else if (!minutes.values.has(minute)) ms += minuteMs;
    else return ms;
  }
}

/** If both day and weekday are restricted, one of them suffices. */
function isDay({ days, weekdays }: CronSchedule & { type: "fields" }, day: number, weekday: number): boolean {
  const [isDayOfMonth, isWeekday] = [days.values.has(day), weekdays.values.has(weekday)];
  return days.isAny || weekdays.isAny ? isDayOfMonth && isWeekday : isDayOfMonth || isWeekday;
}
