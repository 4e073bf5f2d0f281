import { goQuoted } from "../values/go-quoted.ts";

/** Values of one field of a schedule. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Whether the field does not restrict anything: it contains `*`, `?` or `*` with step 1. */
  readonly isAny: boolean;
}

/** Limits of a field, and names of its values. */
export interface CronFieldKind {
  readonly min: number;
  readonly max: number;
  /** Lowercase names in order, beginning with `min`. */
  readonly names?: readonly string[];
}

/** A schedule that cannot be parsed, with Kubernetes' message. */
export class CronSyntaxError extends Error {}

/**
 * Parses a field: a list of numbers, names and ranges, each with an optional step, e.g. `1-5/2,7`.
 *
 * Source: the grammar of github.com/robfig/cron 3, which Kubernetes 1.35 uses.
 *
 * @throws CronSyntaxError
 */
export function parseCronField(text: string, kind: CronFieldKind): CronField {
  const parts = text.split(",").filter((part) => part !== "");
  const ranges = parts.map((part) => parseRange(part, kind));
  return {
    values: new Set(ranges.flatMap(({ values }) => values)),
    isAny: ranges.some(({ isAny }) => isAny),
  };
}

function parseRange(text: string, kind: CronFieldKind): { readonly values: number[]; readonly isAny: boolean } {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [first = "", last, ...moreEnds] = range.split("-");
  const isStar = first === "*" || first === "?";
  const start = isStar ? kind.min : parseValue(first, kind);
  if (!isStar && moreEnds.length > 0) throw new CronSyntaxError(`too many hyphens: ${text}`);
  const end = isStar ? kind.max : last === undefined ? start : parseValue(last, kind);
  if (moreSteps.length > 0) throw new CronSyntaxError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  // A step after a single value means: from this value to the maximum.
  const limit = stepText !== undefined && last === undefined ? kind.max : end;
  checkRange({ start, end: limit, step }, { text, kind });
  const count = Math.floor((limit - start) / step) + 1;
  return { values: Array.from({ length: count }, (_, index) => start + index * step), isAny: isStar && step === 1 };
}

function checkRange(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  { text, kind: { min, max } }: { readonly text: string; readonly kind: CronFieldKind },
): void {
  if (start < min) throw new CronSyntaxError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronSyntaxError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronSyntaxError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new CronSyntaxError(`step of range should be a positive number: ${text}`);
}

function parseValue(text: string, { names = [], min }: CronFieldKind): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? parseNumber(text) : index + min;
}

const maxDigits = 18;

function parseNumber(text: string): number {
  const fault = /^[+-]?\d+$/.test(text)
    ? text.length > maxDigits
      ? "value out of range"
      : undefined
    : "invalid syntax";
  if (fault !== undefined) {
    throw new CronSyntaxError(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuoted(text)}: ${fault}`);
  }
  const number = Number(text);
  if (number < 0) throw new CronSyntaxError(`negative number (${number}) not allowed: ${text}`);
  return number;
}
