/** A JSON object whose fields are not known yet. */
export interface JsonObject {
  readonly [field: string]: unknown;
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * Copies a JSON value so that no part occurs in two places. Stored objects share equal parts; changing one would change the
 * others.
 */
export function unshared(value: unknown): unknown {
  if (isArray(value)) return value.map(unshared);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, unshared(content)]));
}

/** Whether two JSON values are equal, whatever the order of their fields; `undefined` fields count as absent. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  for (const field in a) if (!isSame(a[field], b[field])) return false;
  for (const field in b) if (b[field] !== undefined && a[field] === undefined) return false;
  return true;
}
