/**
 * Parses a time of Kubernetes to ms since the epoch: `2026-11-20T22:10:28Z`, `2026-11-20T22:10:28.448433Z`,
 * `2026-11-20T23:10:28+01:00`. Fractions of a ms are truncated. Returns `undefined` for other texts.
 *
 * Source: RFC 3339, Kubernetes Time and MicroTime.
 */
export function parseInstant(text: string | null | undefined): number | undefined {
  const match = instantForm.exec(text ?? "");
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match;
  const days = daysSinceEpoch(Number(year), Number(month), Number(day));
  const offset = (sign === "-" ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute));
  const minutes = (days * 24 + Number(hour)) * 60 + Number(minute) - offset;
  return (minutes * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
}

const instantForm = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Counts days of the Gregorian calendar. Years start in March, so that the leap day is the last day of its year. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - daysToEpoch;
}

/** Days from March 1 of the year 0 to January 1, 1970. */
const daysToEpoch = 719_468;
