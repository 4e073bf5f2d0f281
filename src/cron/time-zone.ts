/** Local time in a time zone. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** A time zone of the IANA database. */
export interface TimeZone {
  /** Returns the offset from UTC at a time, in ms. */
  readonly offsetAt: (ms: number) => number;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The zone UTC. */
export const utc: TimeZone = { offsetAt: () => 0 };

const shape = /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/;

/** Finds a time zone, such as `Europe/Berlin`. Names of zones are not case-sensitive here. */
export function findTimeZone(name: string): TimeZone | undefined {
  const isName = name.split("/").every((part) => shape.test(part) && part !== "." && part !== "..");
  if (!isName || /^[+\d]/.test(name)) return undefined;
  if (name === "UTC") return utc;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    // The name as Node has it, because each spelling would be another one.
    const { timeZone } = format.resolvedOptions();
    const zone = zones.get(timeZone) ?? zoneOf(format);
    zones.set(timeZone, zone);
    return zone;
  } catch {
    return undefined;
  }
}

/** Zones that were found, by name: a server has thousands of schedules in few zones, each of which remembers its offsets. */
const zones = new Map<string, TimeZone>();

/** Creates a zone from the texts of its offsets, e.g. `GMT+05:30`. */
function zoneOf(format: Intl.DateTimeFormat): TimeZone {
  // Offsets change at full quarters of an hour.
  const known = new Map<number, number>();
  return {
    offsetAt(ms) {
      const quarter = Math.floor(ms / (15 * minuteMs));
      const offset = known.get(quarter) ?? readOffset(format.format(ms));
      if (known.size > 10_000) known.clear();
      known.set(quarter, offset);
      return offset;
    },
  };
}

function readOffset(text: string): number {
  const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * minuteMs;
}

/** Converts a time to local time. */
export function localTime(zone: TimeZone, ms: number): LocalTime {
  const date = new Date(ms + zone.offsetAt(ms));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    weekday: date.getUTCDay(),
  };
}

/** Returns the first moment of a day, in ms. If the zone skips midnight, that is later. */
export function startOfDay(zone: TimeZone, { year, month, day }: Pick<LocalTime, "year" | "month" | "day">): number {
  const midnight = Date.UTC(year, month - 1, day);
  const candidates = [midnight - zone.offsetAt(midnight - dayMs), midnight - zone.offsetAt(midnight + dayMs)];
  const exact = candidates.filter((ms) => ms + zone.offsetAt(ms) === midnight);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
}

/** Prints a time with the zone's offset, e.g. `2026-01-02T04:05:00+01:00`; in UTC with `Z`. */
export function zonedTimestamp(zone: TimeZone, ms: number): string {
  const offset = zone.offsetAt(ms) / minuteMs;
  const local = new Date(ms + offset * minuteMs).toISOString().slice(0, 19);
  const pad = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.abs(offset);
  return offset === 0
    ? `${local}Z`
    : `${local}${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
