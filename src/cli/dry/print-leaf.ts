import type { LeafValue } from "../../explain/leaves.ts";

const longest = 100;

/** A value on one line: texts as they are where that is clear, long ones only begun. */
export function printLeaf(value: LeafValue): string {
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^["'[{]/.test(value);
  const text = isPlain ? value : JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${value.length} characters)`;
}
