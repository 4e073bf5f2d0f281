/**
 * An amount with an exact value, e.g. of memory (bytes) or CPUs, and the way it is written.
 *
 * Source: Kubernetes resource quantities, v1.35.
 */
export interface Quantity {
  /** Billionths of the unit, exact. */
  readonly nano: bigint;
  readonly format: "binary" | "decimal" | "exponent";
}

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE])|([eE][+-]?\d+))?$/;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
const billion = 1_000_000_000n;

/** Reads a quantity, e.g. `500m`, `1.5Gi`, `1e3`; `undefined` when it is none. Finer than a billionth is rounded up. */
export function parseQuantity(text: string): Quantity | undefined {
  const [, sign, whole = "", fraction = "", binary, decimal = "", exponent] = shape.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const format = binary !== undefined ? "binary" : exponent !== undefined ? "exponent" : "decimal";
  const power =
    exponent !== undefined ? Number(exponent.slice(1)) : 3 * decimalSuffixes.indexOf(decimalOf(decimal)) - 9;
  if (Math.abs(power) > 100) return undefined;
  const digits = BigInt(whole + fraction);
  const factor = binary === undefined ? 1n : 1024n ** BigInt(binarySuffixes.indexOf(binaryOf(binary)));
  const amount = scaled(digits * factor, (binary === undefined ? power : 0) + 9 - fraction.length);
  return { nano: sign === "-" ? -amount : amount, format };
}

function decimalOf(text: string): (typeof decimalSuffixes)[number] {
  return decimalSuffixes.find((suffix) => suffix === text) ?? "";
}

function binaryOf(text: string): (typeof binarySuffixes)[number] {
  return binarySuffixes.find((suffix) => suffix === text) ?? "";
}

function scaled(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}

/** The one way in which Kubernetes writes this amount, e.g. `1536Mi` for 1.5Gi. */
export function printQuantity({ nano, format }: Quantity): string {
  const sign = nano < 0n ? "-" : "";
  const size = nano < 0n ? -nano : nano;
  if (size === 0n) return "0";
  // Small amounts are written in decimals: 0.5Ki is 512, and half a byte 500m.
  if (format === "binary" && size >= 1024n * billion)
    return sign + printBinary((size + billion - 1n) / billion);
  let mantissa = size;
  let power = -9;
  while (mantissa % 1000n === 0n && (format === "exponent" || power < 18)) {
    mantissa /= 1000n;
    power += 3;
  }
  if (format === "exponent") return `${sign}${mantissa}${power === 0 ? "" : `e${power}`}`;
  return `${sign}${mantissa}${decimalSuffixes[power / 3 + 3] ?? ""}`;
}

function printBinary(bytes: bigint): string {
  let mantissa = bytes;
  let step = 0;
  while (mantissa % 1024n === 0n && step < 6) {
    mantissa /= 1024n;
    step += 1;
  }
  return `${mantissa}${binarySuffixes[step] ?? ""}`;
}

/** The sum, written like the first, or like the second when the first is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}
