import { isArray, isObject } from "../../api/json.ts";
import { lettersOf } from "../../api/random-suffix.ts";

/**
 * Hashes a value like Kubernetes does for the name of a revision.
 *
 * Source: FNV-1 of the JSON with sorted keys and the collision count, recorded from v1.35.
 */
export function hashOf(value: unknown): string {
  const json = JSON.stringify(withSortedKeys(value)).replace(/[<>&\u2028\u2029]/g, escaped);
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${json}0`)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return lettersOf(Buffer.from(String(hash)));
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Sorts the keys of all objects, as Go does, so that equal data has equal text. */
export function withSortedKeys(value: unknown): unknown {
  if (isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.sort().map((name) => [name, withSortedKeys(value[name])]));
}
