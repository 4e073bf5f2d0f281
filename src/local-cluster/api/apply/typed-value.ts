import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject, isSame, type JsonObject, setField } from "../json.ts";
import type { Field, FieldType, StructType } from "../schema/schema.ts";
import { emptySet, type FieldSet, fieldSet, leaf } from "./field-set.ts";

/*
 * Values of an object as server-side apply divides them: structs and maps by field, lists by the keys of their items or as sets,
 * and atomic values as a whole.
 */

/** The division of a value into parts. */
type Shape =
  | { readonly is: "fields"; readonly of: (name: string) => Shape }
  | {
      readonly is: "keyed";
      readonly keys: readonly string[];
      readonly defaults: JsonObject;
      readonly item: Shape;
    }
  | { readonly is: "set" }
  | { readonly is: "atomic" };

const atomic: Shape = { is: "atomic" };

function shapeOf(type: FieldType, merging: Field["merging"]): Shape {
  if (merging === "atomic") return atomic;
  switch (type.kind) {
    case "struct":
      return type.atomic ? atomic : { is: "fields", of: (name) => fieldShape(type, name) };
    case "map":
      return { is: "fields", of: () => shapeOf(type.value, undefined) };
    case "list":
      if (merging === "set") return { is: "set" };
      return merging === undefined ? atomic : keyed(type.item, merging);
    default:
      return atomic;
  }
}

function keyed(item: FieldType, keys: readonly string[]): Shape {
  const fields = item.kind === "struct" ? item.fields : new Map<string, Field>();
  const defaults = keys.flatMap((key) => {
    const fallback = fields.get(key)?.fallback;
    return fallback === undefined ? [] : [[key, fallback]];
  });
  return { is: "keyed", keys, defaults: Object.fromEntries(defaults), item: shapeOf(item, undefined) };
}

function fieldShape(type: StructType, name: string): Shape {
  const field = type.fields.get(name);
  return field === undefined ? atomic : shapeOf(field.type, field.merging);
}

/** Returns the shape of an object of this type. */
export function rootShape(type: StructType): Shape {
  return {
    is: "fields",
    of: (name) => (name === "apiVersion" || name === "kind" ? atomic : fieldShape(type, name)),
  };
}

export type { Shape };

/** Returns the parts of a value by path step; `undefined` if it is not divided. */
function partsOf(value: unknown, shape: Shape): ReadonlyMap<string, { value: unknown; shape: Shape }> | undefined {
  switch (shape.is) {
    case "fields":
      if (!isObject(value)) return undefined;
      return new Map(
        Object.entries(value)
          .filter(([, child]) => child !== undefined)
          .map(([name, child]) => [`f:${name}`, { value: child, shape: shape.of(name) }]),
      );
    case "keyed":
      if (!isArray(value)) return undefined;
      return new Map(value.map((item) => [stepOf(item, shape), { value: item, shape: shape.item }]));
    case "set":
      if (!isArray(value)) return undefined;
      return new Map(value.map((item) => [stepOf(item, shape), { value: item, shape: atomic }]));
    case "atomic":
      return undefined;
  }
}

function stepOf(item: unknown, shape: Shape): string {
  if (shape.is !== "keyed") return `v:${JSON.stringify(item)}`;
  const own = isObject(item) ? item : {};
  const keys = [...shape.keys].sort().map((key) => [key, own[key] ?? shape.defaults[key] ?? null]);
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

/** Returns the fields that a configuration contains: its leaves, and the items of its lists. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  const parts = partsOf(value, shape);
  if (parts === undefined || parts.size === 0) return leaf;
  const children = [...parts].map(([step, part]) => {
    const set = fieldsOf(part.value, part.shape);
    return [step, step.startsWith("f:") ? set : { ...set, isMember: true }] as const;
  });
  return fieldSet(false, children);
}

/** The differences between two states of an object. */
export interface Changes {
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

export function compare(old: unknown, next: unknown, shape: Shape): Changes {
  const before = partsOf(old, shape) ?? (shape.is !== "atomic" && old === null ? new Map() : undefined);
  const after = partsOf(next, shape) ?? (shape.is !== "atomic" && next === null ? new Map() : undefined);
  if (before === undefined || after === undefined) {
    return isSame(old, next) ? { written: emptySet, removed: emptySet } : { written: leaf, removed: emptySet };
  }
  const written: [string, FieldSet][] = [];
  const removed: [string, FieldSet][] = [];
  for (const [step, part] of after) {
    const last = before.get(step);
    if (last === undefined) {
      written.push([step, everything(part.value, part.shape)]);
      continue;
    }
    const changes = compare(last.value, part.value, part.shape);
    written.push([step, changes.written]);
    removed.push([step, changes.removed]);
  }
  for (const [step, part] of before) if (!after.has(step)) removed.push([step, everything(part.value, part.shape)]);
  return { written: fieldSet(false, written), removed: fieldSet(false, removed) };
}

/** Returns a field with all fields below it. */
function everything(value: unknown, shape: Shape): FieldSet {
  const parts = partsOf(value, shape) ?? new Map<string, { value: unknown; shape: Shape }>();
  return fieldSet(
    true,
    [...parts].map(([step, part]) => [step, everything(part.value, part.shape)] as const),
  );
}

/** Merges a configuration into an object. */
export function merge(live: unknown, config: unknown, shape: Shape): unknown {
  if (config === null || live === null || live === undefined) return config;
  switch (shape.is) {
    case "fields": {
      if (!isObject(live) || !isObject(config)) return config;
      const result: Record<string, unknown> = { ...live };
      for (const [name, value] of Object.entries(config)) {
        setField(result, name, merge(ownMember(live, name), value, shape.of(name)));
      }
      return result;
    }
    case "keyed":
    case "set":
      return isArray(live) && isArray(config) ? mergeLists(live, config, shape) : config;
    case "atomic":
      return config;
  }
}

/** Merges two lists: configured items take the configuration's order; others keep their position relative to them. */
function mergeLists(live: readonly unknown[], config: readonly unknown[], shape: Shape): unknown[] {
  const item = shape.is === "keyed" ? shape.item : atomic;
  const left = live.map((value) => ({ step: stepOf(value, shape), value }));
  const right = config.map((value) => ({ step: stepOf(value, shape), value }));
  const leftBySteps = new Map(left.map(({ step, value }) => [step, value]));
  const rightSteps = new Set(right.map(({ step }) => step));
  const shared = right.map(({ step }) => step).filter((step) => leftBySteps.has(step));
  const merged = new Set<string>();
  const result: unknown[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const liveItem = left[l];
    const configItem = right[r];
    if (liveItem !== undefined && (!rightSteps.has(liveItem.step) || merged.has(liveItem.step))) {
      // An item that is only in the object precedes the next item of the configuration.
      if (!rightSteps.has(liveItem.step)) result.push(liveItem.value);
      l += 1;
    } else if (
      liveItem !== undefined &&
      configItem !== undefined &&
      liveItem.step !== configItem.step &&
      shared[0] !== liveItem.step &&
      shared.length > 0
    ) {
      l += 1;
    } else if (configItem !== undefined) {
      result.push(merge(leftBySteps.get(configItem.step), configItem.value, item));
      merged.add(configItem.step);
      if (shared[0] === configItem.step) shared.shift();
      r += 1;
    } else l += 1;
  }
  return result;
}

/** Removes fields and items that were applied before, are not applied now, and have no other owner. */
export function prune(value: unknown, { last, owned }: { last: FieldSet; owned: FieldSet }, shape: Shape): unknown {
  const isKept = (step: string) => {
    const before = last.children.get(step);
    return before === undefined || !before.isMember || owned.children.has(step);
  };
  const inner = (step: string, child: unknown, childShape: Shape) => {
    const before = last.children.get(step);
    if (before === undefined) return child;
    return prune(child, { last: before, owned: owned.children.get(step) ?? emptySet }, childShape);
  };
  switch (shape.is) {
    case "fields":
      if (!isObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => isKept(`f:${name}`))
          .map(([name, child]) => [name, inner(`f:${name}`, child, shape.of(name))]),
      );
    case "keyed":
    case "set":
      if (!isArray(value)) return value;
      return value
        .filter((item) => isKept(stepOf(item, shape)))
        .map((item) => (shape.is === "keyed" ? inner(stepOf(item, shape), item, shape.item) : item));
    case "atomic":
      return value;
  }
}
