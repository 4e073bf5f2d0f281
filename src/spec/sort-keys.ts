import { isFields } from "../values/fields.ts";

/** Sorts the keys of all objects, so that equal data has equal text. */
export function sortKeys<T>(value: T): T;
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => sortKeys(item));
  if (!isFields(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]));
}
