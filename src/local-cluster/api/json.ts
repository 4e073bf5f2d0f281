import { ownMember } from "../../values/own-member.ts";

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

/** Returns the type of a JSON value as errors of Go's decoder name it. */
export function goTypeOf(value: unknown): string {
  if (isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/*
 * The functions below loop instead of calling themselves: values from clients can be nested more deeply than JavaScript's stack.
 */

/**
 * Copies a JSON value so that no part occurs in two places. Stored objects share equal parts; changing one would change the
 * others.
 *
 * @param pick chooses the fields or items of each object or array that are copied
 */
export function unshared(value: unknown, pick: PickParts = {}): unknown {
  const root: unknown[] = [value];
  const pending: (unknown[] | Record<string, unknown>)[] = [root];
  const copy = (part: unknown) => {
    if (isArray(part)) return add([...(pick.items?.(part) ?? part)]);
    return isObject(part) ? add({ ...(pick.fields?.(part) ?? part) }) : part;
  };
  const add = <T extends unknown[] | Record<string, unknown>>(part: T): T => {
    pending.push(part);
    return part;
  };
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (Array.isArray(part)) for (const [index, item] of part.entries()) part[index] = copy(item);
    else for (const name of Object.keys(part)) part[name] = copy(part[name]);
  }
  return root[0];
}

interface PickParts {
  readonly fields?: (object: JsonObject) => JsonObject;
  readonly items?: (list: readonly unknown[]) => readonly unknown[];
}

/**
 * Whether two JSON values are equal, whatever the order of their fields; `undefined` fields count as absent.
 *
 * @param onObject receives the number of fields of each object that is compared
 */
export function isSame(a: unknown, b: unknown, onObject?: (fields: number) => void): boolean {
  const pending = [a, b];
  while (pending.length > 0) {
    const [right, left] = [pending.pop(), pending.pop()];
    if (left === right) continue;
    if (isArray(left)) {
      if (!isArray(right) || left.length !== right.length) return false;
      for (const [index, item] of left.entries()) if (item !== right[index]) pending.push(item, right[index]);
      continue;
    }
    if (!isObject(left) || !isObject(right)) return false;
    const fields = Object.entries(left).filter(([, value]) => value !== undefined);
    onObject?.(fields.length);
    if (fields.length !== Object.values(right).filter((value) => value !== undefined).length) return false;
    for (const [name, value] of fields) {
      const other = ownMember(right, name);
      if (value === other) continue;
      if (other === undefined) return false;
      pending.push(value, other);
    }
  }
  return true;
}

/** Sets a field; an assignment to `__proto__` would replace the object's prototype instead. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Replaces each half of a character that lacks its other half by U+FFFD, as Go does. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}

/** Whether arrays and objects are nested in more levels than `limit`. */
export function exceedsDepth(value: unknown, limit: number): boolean {
  const pending: { readonly part: unknown; readonly depth: number }[] = [{ part: value, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, depth } = next;
    if (typeof part !== "object" || part === null) continue;
    if (depth > limit) return true;
    for (const inner of isArray(part) ? part : Object.values(part)) pending.push({ part: inner, depth: depth + 1 });
  }
  return false;
}
