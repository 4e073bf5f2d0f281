import { isObject, type JsonObject } from "../json.ts";

/**
 * A set of fields of an object as a tree, e.g. the fields that a manager owns.
 *
 * The steps of a path are `f:<field>`, `k:{"<key>":<value>,…}` for items of a keyed list, and `v:<value>` for items of a set.
 *
 * Source: Kubernetes FieldsV1.
 */
export interface FieldSet {
  /** Whether the field itself is in the set, not only fields below it. */
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const emptySet: FieldSet = { isMember: false, children: new Map() };

/** A set that contains a field without children. */
export const leaf: FieldSet = { isMember: true, children: new Map() };

export function isEmptySet({ isMember, children }: FieldSet): boolean {
  return !isMember && children.size === 0;
}

/** Builds a set from the children of a field, without empty ones. */
export function fieldSet(isMember: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  return { isMember, children: new Map([...children].filter(([, child]) => !isEmptySet(child))) };
}

/** A value that is not a FieldsV1. */
export class FieldSetError extends Error {}

/** Parses the `fieldsV1` of a managed fields entry. Unknown kinds of steps are omitted. @throws FieldSetError */
export function parseFieldSet(fields: unknown): FieldSet {
  return { ...parseNode(fields ?? {}), isMember: false };
}

function parseNode(fields: unknown): FieldSet {
  if (!isObject(fields)) throw new FieldSetError("a set of fields must be an object");
  const names = Object.keys(fields).filter((name) => name !== ".");
  const isMember = names.length === 0 || Object.hasOwn(fields, ".");
  return fieldSet(
    isMember,
    names.filter(isKnownStep).map((name) => [name, parseNode(fields[name])] as const),
  );
}

/** Whether a step is of a known kind. @throws FieldSetError for an invalid step */
function isKnownStep(step: string): boolean {
  if (step[1] !== ":") throw new FieldSetError(`invalid step: ${step}`);
  const content = step.slice(2);
  switch (step[0]) {
    case "f":
      return true;
    case "i":
      if (!/^[+-]?\d+$/.test(content)) throw new FieldSetError(`invalid index: ${content}`);
      return true;
    case "v":
      if (!isScalar(parseContent(content))) throw new FieldSetError(`invalid value: ${content}`);
      return true;
    case "k": {
      const keys = parseContent(content);
      if (isObject(keys) && Object.values(keys).every(isScalar)) return true;
      throw new FieldSetError(`invalid keys: ${content}`);
    }
    default:
      return false;
  }
}

function parseContent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldSetError(`invalid JSON: ${text}`);
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Prints a set as `fieldsV1`. */
export function printFieldSet({ isMember, children }: FieldSet): JsonObject {
  const entries = [...children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]) => [name, printFieldSet(child)]);
  const own = isMember && children.size > 0 ? [[".", {}]] : [];
  return Object.fromEntries([...own, ...entries]);
}

/** Returns the fields that are in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const names = new Set([...a.children.keys(), ...b.children.keys()]);
  return fieldSet(
    a.isMember || b.isMember,
    [...names].map(
      (name) => [name, union(a.children.get(name) ?? emptySet, b.children.get(name) ?? emptySet)] as const,
    ),
  );
}

/** Returns the fields that are in the first set and not in the second. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.isMember && !b.isMember,
    [...a.children].map(([name, child]) => [name, difference(child, b.children.get(name) ?? emptySet)] as const),
  );
}

/** Returns the fields that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return fieldSet(
    a.isMember && b.isMember,
    [...a.children].map(([name, child]) => [name, intersection(child, b.children.get(name) ?? emptySet)] as const),
  );
}

/** Returns a set without some fields and all fields below them; paths are field names, e.g. `["metadata", "name"]`. */
export function withoutFields(set: FieldSet, paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce((rest, path) => withoutField(rest, path), set);
}

function withoutField(set: FieldSet, [field, ...rest]: readonly string[]): FieldSet {
  const name = `f:${field}`;
  const child = set.children.get(name);
  if (child === undefined) return set;
  const others = [...set.children].filter(([other]) => other !== name);
  return fieldSet(set.isMember, rest.length === 0 ? others : [...others, [name, withoutField(child, rest)]]);
}

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  if (a.isMember !== b.isMember || a.children.size !== b.children.size) return false;
  return [...a.children].every(([name, child]) => {
    const other = b.children.get(name);
    return other !== undefined && isSameSet(child, other);
  });
}

/** Prints the paths of a set, e.g. `.spec.containers[name="a"].image`. */
export function printPaths(set: FieldSet, path = ""): string[] {
  return [
    ...(set.isMember ? [path] : []),
    ...[...set.children]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([step, child]) => printPaths(child, path + printStep(step))),
  ];
}

function printStep(step: string): string {
  const content = step.slice(2);
  if (step.startsWith("f:")) return `.${content}`;
  if (step.startsWith("v:")) return `[=${content}]`;
  const keys: unknown = JSON.parse(content);
  const terms = isObject(keys) ? Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`) : [];
  return `[${terms.join(",")}]`;
}
