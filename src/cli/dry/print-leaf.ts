import type { LeafValue } from "../../explain/leaves.ts";

const maxLength = 100;

/** Prints a value on one line: plain texts without quotes, long ones truncated. */
export function printLeaf(value: LeafValue): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^["'[{]/.test(value);
  const text = isPlain ? value : JSON.stringify(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${value.length} characters)`;
}
