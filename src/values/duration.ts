import type { ParsedNumber } from "./byte-size.ts";
import { isMadeOf, lowerLetters, splitNumber } from "./characters.ts";
import { javaTrim } from "./java-trim.ts";
import { ownMember } from "./own-member.ts";

/** Units of durations. */
type TimeUnit = "us" | "ms" | "s" | "min" | "h" | "d";

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
 * Parses `100ms`, `5min`, `-1s`, `30`: an integer and a suffix in any case. The result is truncated toward zero to `unit`,
 * which is also the unit of a text without suffix.
 *
 * Source: Spark JavaUtils.timeStringAs; reasons are its messages, e.g. `Failed to parse time string: soon`.
 */
export function parseDuration(text: string, unit: TimeUnit): ParsedNumber {
  const lower = javaTrim(text.toLowerCase());
  const sign = lower.startsWith("-") ? "-" : "";
  const { number, rest: suffix } = splitNumber(lower.slice(sign.length));
  if (number === "" || !isMadeOf(suffix, lowerLetters)) return invalid(`Failed to parse time string: ${text}`);
  const count = BigInt(sign + number);
  if (count > longMax || count < -longMax - 1n) return invalid(`For input string: "${sign}${number}"`);
  const textUnit = suffix === "" ? unit : ownMember(suffixes, suffix);
  if (textUnit === undefined) return invalid(`Invalid suffix: "${suffix}"`);
  const converted = (count * microseconds[textUnit]) / microseconds[unit];
  return { ok: true, value: Number(clamp(converted)) };
}

/** Prints a duration as Spark does: in milliseconds, e.g. `-1000ms`. */
export function printDuration(value: number, unit: TimeUnit): string {
  return `${clamp((BigInt(value) * microseconds[unit]) / microseconds.ms)}ms`;
}

/** Saturates at the limits of a Java long, as Java's unit conversion does. */
function clamp(value: bigint): bigint {
  return value > longMax ? longMax : value < -longMax - 1n ? -longMax - 1n : value;
}

const rule =
  "Time must be specified as seconds (s), milliseconds (ms), microseconds (us), minutes (m or min), hour (h), or day (d). E.g. 50s, 100ms, or 250us.";

function invalid(reason: string): ParsedNumber {
  return { ok: false, reason: `${rule}\n${reason}` };
}
