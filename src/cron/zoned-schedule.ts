import { goQuoted } from "../values/go-quoted.ts";
import { CronSyntaxError } from "./cron-field.ts";
import { nextTime, parseCronSchedule } from "./cron-schedule.ts";
import { findTimeZone, type TimeZone, utc } from "./time-zone.ts";

/** Returns the first time after a time, in ms since 1970; `undefined` if there is none. */
export type NextTime = (afterMs: number) => number | undefined;

/**
 * Parses a schedule whose zone can be in its text: `CRON_TZ=Asia/Tokyo 0 9 * * *`. The zone of the text takes precedence.
 *
 * @param timeZone name of the IANA database, `UTC` or `Local`; empty as `UTC`
 * @param local the zone that `Local` means
 * @throws CronSyntaxError also for an unknown zone
 */
export function parseZonedSchedule(
  text: string,
  { timeZone, local = utc }: { readonly timeZone: string; readonly local?: TimeZone },
): NextTime {
  const prefixed = /^(?:CRON_)?TZ=([^ ]*)( ?)/.exec(text);
  if (prefixed !== null && prefixed[2] === "") throw new CronSyntaxError("a zone without a schedule");
  const [prefix = "", named] = prefixed ?? [];
  const zone = zoneOf(named ?? timeZone, local);
  const schedule = parseCronSchedule(text.slice(prefix.length).trim());
  return (afterMs) => nextTime(schedule, afterMs, zone);
}

function zoneOf(name: string, local: TimeZone): TimeZone {
  if (name === "" || name === "UTC") return utc;
  if (name === "Local") return local;
  const zone = findTimeZone(name);
  if (zone === undefined) throw new CronSyntaxError(`unknown time zone ${goQuoted(name)}`);
  return zone;
}
