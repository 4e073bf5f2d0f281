import type { ParsedNumber } from "./byte-size.ts";
import { isMadeOf, lowerLetters, splitNumber } from "./characters.ts";
import { javaTrim } from "./java-trim.ts";
import { ownMember } from "./own-member.ts";

/** The units of time settings. */
export type TimeUnit = "us" | "ms" | "s" | "min" | "h" | "d";

const microseconds: Readonly<Record<TimeUnit, bigint>> = {
  us: 1n,
  ms: 1000n,
  s: 1_000_000n,
  min: 60_000_000n,
  h: 3_600_000_000n,
  d: 86_400_000_000n,
};

const suffixes: Readonly<Record<string, TimeUnit>> = {
  us: "us",
  ms: "ms",
  s: "s",
  m: "min",
  min: "min",
  h: "h",
  d: "d",
};

const longMax = 2n ** 63n - 1n;

/**
 * Reads `100ms`, `5min`, `-1s`, `30`: a whole number and a suffix in either case; truncated toward zero to `unit`,
 * which is also that of a bare number.
 *
 * Source: Spark JavaUtils.timeStringAs; reasons are its words, e.g. `Failed to parse time string: soon`.
 */
export function parseDuration(text: string, unit: TimeUnit): ParsedNumber {
  const lower = javaTrim(text.toLowerCase());
  const sign = lower.startsWith("-") ? "-" : "";
  const { number, rest: suffix } = splitNumber(lower.slice(sign.length));
  if (number === "" || !isMadeOf(suffix, lowerLetters)) return refuse(`Failed to parse time string: ${text}`);
  const count = BigInt(sign + number);
  if (count > longMax || count < -longMax - 1n) return refuse(`For input string: "${sign}${number}"`);
  const given = suffix === "" ? unit : ownMember(suffixes, suffix);
  if (given === undefined) return refuse(`Invalid suffix: "${suffix}"`);
  const converted = (count * microseconds[given]) / microseconds[unit];
  return { ok: true, value: Number(clamp(converted)) };
}

/** A number of a unit as Spark prints times back: in milliseconds, e.g. `-1000ms`. */
export function printDuration(value: number, unit: TimeUnit): string {
  return `${clamp((BigInt(value) * microseconds[unit]) / microseconds.ms)}ms`;
}

/** Java converts between units of time by saturation. */
function clamp(value: bigint): bigint {
  return value > longMax ? longMax : value < -longMax - 1n ? -longMax - 1n : value;
}

const rule =
  "Time must be specified as seconds (s), milliseconds (ms), microseconds (us), minutes (m or min), hour (h), or day (d). E.g. 50s, 100ms, or 250us.";

function refuse(reason: string): ParsedNumber {
  return { ok: false, reason: `${rule}\n${reason}` };
}
