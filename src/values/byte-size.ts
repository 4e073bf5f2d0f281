import { isMadeOf, lowerLetters, splitNumber } from "./characters.ts";
import { javaTrim } from "./java-trim.ts";
import { ownMember } from "./own-member.ts";

/** Units of Spark's sizes, all binary. */
export const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Unit of a size. */
export type ByteUnit = (typeof byteUnits)[number];

/** Number of units, or Spark's message about the text. */
export type ParsedNumber =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly reason: string };

const bytesOf: Readonly<Record<ByteUnit, bigint>> = {
  B: 1n,
  KiB: 1n << 10n,
  MiB: 1n << 20n,
  GiB: 1n << 30n,
  TiB: 1n << 40n,
  PiB: 1n << 50n,
};

const javaNames: Readonly<Record<ByteUnit, string>> = {
  B: "BYTE",
  KiB: "KiB",
  MiB: "MiB",
  GiB: "GiB",
  TiB: "TiB",
  PiB: "PiB",
};

const suffixes: Readonly<Record<string, ByteUnit>> = {
  b: "B",
  k: "KiB",
  kb: "KiB",
  m: "MiB",
  mb: "MiB",
  g: "GiB",
  gb: "GiB",
  t: "TiB",
  tb: "TiB",
  p: "PiB",
  pb: "PiB",
};

const binarySuffixes: Readonly<Record<string, ByteUnit>> = {
  ki: "KiB",
  kib: "KiB",
  mi: "MiB",
  mib: "MiB",
  gi: "GiB",
  gib: "GiB",
  ti: "TiB",
  tib: "TiB",
  pi: "PiB",
  pib: "PiB",
};

const longMax = 2n ** 63n - 1n;

/** Options for parsing a size. */
interface ByteSizeOptions {
  /** Unit of the result, and of a text without suffix. */
  readonly unit: ByteUnit;
  /** `ki`, `kib`, `mi`, `mib`, … are suffixes too (Spark 4.2 and later). */
  readonly binarySuffixes: boolean;
}

/**
 * Parses `512m`, `1g`, `1024`: digits and a suffix in any case. The result is truncated to an integer number of units.
 *
 * Source: Spark JavaUtils.byteStringAs; reasons are its messages, e.g. `Invalid suffix: "x"`.
 */
export function parseByteSize(text: string, { unit, binarySuffixes: binary }: ByteSizeOptions): ParsedNumber {
  const lower = javaTrim(text.toLowerCase());
  const { number, rest: suffix } = splitNumber(lower);
  if (number === "" || !isMadeOf(suffix, lowerLetters)) {
    const fraction = /^([0-9]+\.[0-9]+)([a-z]+)?$/.exec(lower)?.[1];
    return invalid(
      fraction === undefined
        ? `Failed to parse byte string: ${text}`
        : `Fractional values are not supported. Input was: ${fraction}`,
    );
  }
  const count = BigInt(number);
  if (count > longMax) return invalid(`For input string: "${number}"`);
  const textUnit =
    suffix === "" ? unit : (ownMember(suffixes, suffix) ?? (binary ? ownMember(binarySuffixes, suffix) : undefined));
  if (textUnit === undefined) return invalid(`Invalid suffix: "${suffix}"`);
  const converted = (count * bytesOf[textUnit]) / bytesOf[unit];
  if (converted > longMax) {
    return {
      ok: false,
      reason: `Conversion of ${count} exceeds Long.MAX_VALUE in ${javaNames[textUnit]}. Try a larger unit (e.g. MiB instead of KiB)`,
    };
  }
  return { ok: true, value: Number(converted) };
}

/** Prints a size as Spark does: in bytes, e.g. `1048576b`. */
export function printByteSize(value: number, unit: ByteUnit): string {
  return `${BigInt(value) * bytesOf[unit]}b`;
}

const rule =
  "Size must be specified as bytes (b), kibibytes (k), mebibytes (m), gibibytes (g), tebibytes (t), or pebibytes(p). E.g. 50b, 100k, or 250m.";

function invalid(reason: string): ParsedNumber {
  return { ok: false, reason: `${rule}\n${reason}` };
}
