import { ownMember } from "./own-member.ts";

/**
 * Kubernetes quantity in nano-units, without loss: `100m` is 100 million.
 *
 * `format` is the original format, which is also used for printing if possible.
 */
export interface Quantity {
  readonly nano: bigint;
  readonly format: "binarySI" | "decimalSI" | "decimalExponent";
  /** Original text, if Kubernetes regards it as canonical: `1.500`, but not `1.50` (`1500m`). */
  readonly text?: string;
}

const nanoPerUnit = 1_000_000_000n;

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Maximum absolute exponent. A larger one is a typo or an attack on memory. */
const exponentLimit = 1000;

/** Maximum length of a text. Parsing and printing take time that grows with the square of the digits. */
const maxLength = 2000;

const binaryMaximum = (2n ** 63n - 1n) * nanoPerUnit;

/**
 * Parses `1`, `500m`, `1.5Gi`, `1e3`. Fractions of a nano-unit are rounded away from zero. Returns `undefined` for other texts, and for
 * texts of more than 2,000 characters, which Kubernetes accepts.
 *
 * Source: Kubernetes resource.Quantity, "Resource units in Kubernetes".
 */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > maxLength) return undefined;
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+|[A-Za-z]*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", integer = "", fraction = "", suffix = ""] = match;
  if (text === "") return undefined;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  const digits = BigInt(`0${integer}${fraction}`);
  const magnitude = magnitudeOf(digits, fraction.length, scale);
  const format = scale.format === "binarySI" && magnitude < nanoPerUnit && magnitude > 0n ? "decimalSI" : scale.format;
  const nano = sign === "-" ? -magnitude : magnitude;
  return isTakenForCanonical(integer, fraction, scale) ? { nano, format, text } : { nano, format };
}

/** Whether Kubernetes regards a text as canonical. It checks only the digits, so it accepts some texts that it would not print. */
function isTakenForCanonical(integer: string, fraction: string, { exponent, format }: Scale): boolean {
  const num = integer.replace(/^0+/, "");
  const digits = (num === "" ? "0" : num) + fraction;
  if (format === "binarySI") {
    const precision = 14 - digits.length - Math.trunc((exponent * 3) / 10);
    return fraction === "" && precision >= 0 && BigInt(digits) % 8n !== 0n;
  }
  const scale = exponent - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

interface Scale {
  readonly base: 2n | 10n;
  readonly exponent: number;
  readonly format: Quantity["format"];
}

function scaleOf(suffix: string): Scale | undefined {
  const decimal = ownMember(decimalExponents, suffix);
  if (decimal !== undefined) return { base: 10n, exponent: decimal, format: "decimalSI" };
  const binary = ownMember(binaryExponents, suffix);
  if (binary !== undefined) return { base: 2n, exponent: binary, format: "binarySI" };
  if (!/^[eE][+-]?[0-9]+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > exponentLimit ? undefined : { base: 10n, exponent, format: "decimalExponent" };
}

function magnitudeOf(digits: bigint, fractionDigits: number, { base, exponent, format }: Scale): bigint {
  const up = digits * nanoPerUnit * (exponent > 0 ? base ** BigInt(exponent) : 1n);
  const down = 10n ** BigInt(fractionDigits) * (exponent < 0 ? base ** BigInt(-exponent) : 1n);
  const magnitude = divideUp(up, down);
  return format === "binarySI" && magnitude > binaryMaximum ? binaryMaximum : magnitude;
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** Compares quantities: negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** Adds quantities, in the format of `a` unless it is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** Converts a quantity to units, rounded away from zero: bytes of `1Gi`, cores of `1500m` (2). */
export function quantityUnits({ nano }: Quantity): number {
  return Number(nano < 0n ? -divideUp(-nano, nanoPerUnit) : divideUp(nano, nanoPerUnit));
}

/** Converts a quantity to a number of units with its fraction: 0.5 for `500m`. Loses digits beyond those of a double. */
export function quantityNumber({ nano }: Quantity): number {
  return Number(nano) / Number(nanoPerUnit);
}

/**
 * Prints the canonical text, with the largest suffix that needs no fraction: `1000m` as `1`, `1.5Gi` as `1536Mi`, `1000` as
 * `1k`.
 */
export function printQuantity({ nano, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (nano === 0n) return "0";
  const isSmall = nano > -1024n * nanoPerUnit && nano < 1024n * nanoPerUnit;
  if (format === "binarySI" && !isSmall && nano % nanoPerUnit === 0n) {
    return withSuffix(nano / nanoPerUnit, 1024n, binarySuffixes);
  }
  if (format === "decimalExponent") return withSuffix(nano, 1000n, exponentSuffixes());
  return withSuffix(nano, 1000n, decimalSuffixes);
}

const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

function exponentSuffixes(): readonly string[] {
  return Array.from({ length: exponentLimit }, (_, index) => {
    const exponent = index * 3 - 9;
    return exponent === 0 ? "" : `e${exponent}`;
  });
}

function withSuffix(value: bigint, step: bigint, suffixes: readonly string[]): string {
  let rest = value;
  let index = 0;
  while (index < suffixes.length - 1 && rest % step === 0n) {
    rest /= step;
    index++;
  }
  return `${rest}${suffixes[index]}`;
}
