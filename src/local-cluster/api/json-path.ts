import { ownMember } from "../../values/own-member.ts";
import { isArray, isObject, type JsonObject } from "./json.ts";

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "all" }
  | { readonly type: "filter"; readonly path: readonly Step[]; readonly value: unknown; readonly isEqual: boolean };

/** Reads the values at a path of an object. */
export type PathReader = (object: unknown) => readonly unknown[];

const field = /^\.((?:[^.[\]\\]|\\.)+)/;
const bracket = /^\[(?:(-?\d+)|(\*)|'([^']*)'|"([^"]*)"|\?\(\s*@((?:[^()=!]|\\.)+?)\s*(==|!=)\s*([^)]+?)\s*\))\]/;

/**
 * Compiles a JSONPath such as `.status.conditions[?(@.type=="Ready")].status`.
 *
 * @returns `undefined` for syntax that it does not support
 */
export function compilePath(path: string): PathReader | undefined {
  const steps = parseSteps(path === "." ? "" : path);
  if (steps === undefined) return undefined;
  return (object) =>
    steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => read(value, step)), [object]);
}

function parseSteps(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (let rest = path; rest !== ""; ) {
    const name = field.exec(rest);
    if (name?.[1] !== undefined) {
      steps.push(name[1] === "*" ? { type: "all" } : { type: "field", name: name[1].replace(/\\(.)/g, "$1") });
      rest = rest.slice(name[0].length);
      continue;
    }
    const found = bracket.exec(rest);
    const step = found === null ? undefined : bracketStep(found);
    if (found === null || step === undefined) return undefined;
    steps.push(step);
    rest = rest.slice(found[0].length);
  }
  return steps;
}

function bracketStep([, index, star, single, double, path, operator, literal]: RegExpExecArray): Step | undefined {
  if (index !== undefined) return { type: "index", index: Number(index) };
  if (star !== undefined) return { type: "all" };
  const name = single ?? double;
  if (name !== undefined) return { type: "field", name };
  const inner = parseSteps(path ?? "");
  const value = literalOf(literal ?? "");
  if (inner === undefined || value === undefined) return undefined;
  return { type: "filter", path: inner, value, isEqual: operator === "==" };
}

function literalOf(text: string): unknown {
  const quoted = /^'(.*)'$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(value: unknown, step: Step): readonly unknown[] {
  switch (step.type) {
    case "field": {
      const found = isObject(value) ? ownMember(value, step.name) : undefined;
      return found === undefined ? [] : [found];
    }
    case "index": {
      const found = isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case "all":
      return isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    case "filter":
      return isArray(value) ? value.filter((item) => isSelected(item, step)) : [];
  }
}

function isSelected(item: unknown, { path, value, isEqual }: Step & { type: "filter" }): boolean {
  const found = path.reduce<readonly unknown[]>((values, step) => values.flatMap((part) => read(part, step)), [item]);
  return found.length > 0 && (found[0] === value) === isEqual;
}

/** Splits a simple path such as `.spec.replicas` into its fields. */
export function fieldsOfPath(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}
/** Returns the value of a field in fields; `undefined` if there is none. */
export function valueAt(object: unknown, fields: readonly string[]): unknown {
  return fields.reduce<unknown>((value, name) => (isObject(value) ? ownMember(value, name) : undefined), object);
}

/** Returns an object with another value of a field in fields. */
export function withValueAt(object: JsonObject, [name = "", ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValueAt(isObject(inner) ? inner : {}, rest, value) };
}
