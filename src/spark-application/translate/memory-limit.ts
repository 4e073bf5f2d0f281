import { parseQuantity } from "../../values/quantity.ts";

/** Converts a limit such as `2g`, `512MB` or `3Gi` to a quantity; `undefined` if it is neither Spark's form nor a quantity. */
export function memoryLimitOf(text: string): string | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgtp])b?$/i.exec(text) ?? [];
  if (number !== undefined) return `${number}${unit.toLowerCase() === "k" ? "K" : unit.toUpperCase()}i`;
  return parseQuantity(text) === undefined ? undefined : text;
}
