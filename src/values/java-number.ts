import { digits, isMadeOf } from "./characters.ts";
import { javaTrim } from "./java-trim.ts";

/** Numbers as Java parses and prints them, because Spark's settings do. */

const intMin = -(2n ** 31n);
const intMax = 2n ** 31n - 1n;
const longMax = 2n ** 63n - 1n;

/** Parses a 32-bit integer as `Integer.parseInt` does: with an optional sign, without whitespace. */
export function parseJavaInt(text: string): number | undefined {
  return parseInteger(text, intMin, intMax);
}

/** Parses a 64-bit integer as `Long.parseLong` does; beyond 2^53, the result is the nearest number. */
export function parseJavaLong(text: string): number | undefined {
  return parseInteger(text, -longMax - 1n, longMax);
}

function parseInteger(text: string, min: bigint, max: bigint): number | undefined {
  const isSigned = text.startsWith("+") || text.startsWith("-");
  const magnitude = isSigned ? text.slice(1) : text;
  if (magnitude === "" || !isMadeOf(magnitude, digits)) return undefined;
  const value = BigInt(text.startsWith("+") ? magnitude : text);
  return value < min || value > max ? undefined : Number(value);
}

/** Parses a number as `Double.parseDouble` does, except hexadecimal ones: `1`, `.5`, `1e3`, `2d`, `NaN`, `-Infinity`. */
export function parseJavaDouble(text: string): number | undefined {
  const trimmed = javaTrim(text);
  const plain = trimmed !== "" && isMadeOf(trimmed, `${digits}.`) ? Number(trimmed) : Number.NaN;
  if (!Number.isNaN(plain)) return plain;
  const match = /^([+-]?)(?:(NaN|Infinity)|((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?)$/.exec(
    trimmed,
  );
  if (match === null) return undefined;
  const magnitude = Number(match[2] ?? match[3]);
  return match[1] === "-" ? -magnitude : magnitude;
}

/** Prints a number as `Double.toString` does: `0.1`, `1.0`, `1.0E7`, `1.5E-4`. */
export function printJavaDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) return withFraction(String(value));
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${withFraction(digits)}E${exponent.replace("+", "")}`;
}

function withFraction(digits: string): string {
  return digits.includes(".") ? digits : `${digits}.0`;
}
