import { type Fields, isFields } from "../../values/fields.ts";
import { parseQuantity } from "../../values/quantity.ts";

/** Type of a field of a resource definition. In `fields`, a name that ends with `!` is required. */
export type Schema =
  | { readonly type: "text"; readonly values?: readonly string[] }
  | { readonly type: "integer"; readonly min?: number; readonly max?: number }
  | { readonly type: "flag" }
  | { readonly type: "quantity" }
  /** An integer or a text, e.g. a port by number or name. */
  | { readonly type: "integerOrText" }
  /** A text, a number, or true or false. */
  | { readonly type: "scalar" }
  | { readonly type: "map"; readonly of: Schema }
  | { readonly type: "list"; readonly of: Schema }
  | { readonly type: "object"; readonly fields: Readonly<Record<string, Schema>> }
  /** Stored unchecked. */
  | { readonly type: "any" };

/** A value that does not have its type. */
export interface SchemaProblem {
  /** E.g. `spec.driver.env[0].name`. */
  readonly path: string;
  /** Predicate, e.g. `is a string, not an integer`. */
  readonly problem: string;
}

/** Problems of a value, and the paths of fields that its schema does not have. */
export interface CheckedSchema {
  readonly problems: readonly SchemaProblem[];
  readonly unknown: readonly UnknownField[];
}

/** A field that the schema does not have. */
export interface UnknownField {
  readonly path: string;
  readonly name: string;
  /** Fields that the schema has in its stead. */
  readonly known: readonly string[];
}

export const text: Schema = { type: "text" };
export const flag: Schema = { type: "flag" };
export const integer: Schema = { type: "integer" };
export const quantity: Schema = { type: "quantity" };
export const integerOrText: Schema = { type: "integerOrText" };
export const scalar: Schema = { type: "scalar" };
export const any: Schema = { type: "any" };
export const textMap: Schema = { type: "map", of: text };
export const textList: Schema = { type: "list", of: text };

/** Builds the schema of a text that is one of a few. */
export function oneOf(...values: readonly string[]): Schema {
  return { type: "text", values };
}

/** Builds the schema of an integer within limits. */
export function integerFrom(min: number, max?: number): Schema {
  return { type: "integer", min, ...(max === undefined ? {} : { max }) };
}

/** Builds the schema of a list. */
export function listOf(of: Schema): Schema {
  return { type: "list", of };
}

/** Builds the schema of an object whose names are free. */
export function mapOf(of: Schema): Schema {
  return { type: "map", of };
}

/** Builds the schema of an object. */
export function object(fields: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", fields };
}

/** Builds an object's fields of one type from their names, separated by spaces. */
export function named(names: string, schema: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, schema]));
}

/** Checks a value as the API server checks a custom resource. A field that is null counts as absent. */
export function checkSchema(value: unknown, schema: Schema, path: string): CheckedSchema {
  const found = { problems: [], unknown: [] };
  check(value, schema, { path, found });
  return found;
}

/** Returns the value without fields that are null, which count as absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

interface Position {
  readonly path: string;
  readonly found: { readonly problems: SchemaProblem[]; readonly unknown: UnknownField[] };
}

function check(value: unknown, schema: Schema, at: Position): void {
  const problem = problemOf(value, schema);
  if (problem !== undefined) {
    at.found.problems.push({ path: at.path, problem });
    return;
  }
  if (schema.type === "list" && Array.isArray(value)) {
    for (const [index, item] of value.entries()) check(item, schema.of, { ...at, path: `${at.path}[${index}]` });
  }
  if (schema.type === "map" && isFields(value)) {
    for (const [name, item] of Object.entries(value)) check(item, schema.of, { ...at, path: `${at.path}.${name}` });
  }
  if (schema.type === "object" && isFields(value)) checkFields(value, schema.fields, at);
}

/** Describes why a value itself, without what it contains, does not have its type. */
function problemOf(value: unknown, schema: Schema): string | undefined {
  switch (schema.type) {
    case "any":
      return undefined;
    case "list":
      return Array.isArray(value) ? undefined : mismatch(value, "a list");
    case "map":
    case "object":
      return isFields(value) ? undefined : mismatch(value, "an object");
    default:
      return scalarProblem(value, schema);
  }
}

function checkFields(value: Fields, fields: Readonly<Record<string, Schema>>, at: Position): void {
  const known = new Map(Object.entries(fields).map(([key, schema]) => [key.replace(/!$/, ""), { key, schema }]));
  for (const [name, { key, schema }] of known) {
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const field = value[name] ?? undefined;
    if (field !== undefined) check(field, schema, { ...at, path });
    else if (key !== name) at.found.problems.push({ path, problem: "is missing" });
  }
  for (const name of Object.keys(value)) {
    if (!known.has(name)) at.found.unknown.push({ path: at.path, name, known: [...known.keys()] });
  }
}

type ScalarSchema = Extract<
  Schema,
  { readonly type: "text" | "integer" | "flag" | "quantity" | "integerOrText" | "scalar" }
>;

function scalarProblem(value: unknown, schema: ScalarSchema): string | undefined {
  switch (schema.type) {
    case "text": {
      if (typeof value !== "string") return mismatch(value, "a string");
      const { values } = schema;
      return values === undefined || values.includes(value)
        ? undefined
        : `is "${value}", but can only be ${values.join(", ")}`;
    }
    case "flag":
      return typeof value === "boolean" ? undefined : mismatch(value, "true or false");
    case "integer": {
      if (!Number.isInteger(value)) return mismatch(value, "an integer");
      const { min = -(2 ** 53), max = 2 ** 53 } = schema;
      const isWithin = Number(value) >= min && Number(value) <= max;
      return isWithin ? undefined : `is ${Number(value)}, but must be ${limitsOf(schema)}`;
    }
    case "quantity":
      if (Number.isInteger(value)) return undefined;
      if (typeof value !== "string") return mismatch(value, "a quantity such as 500m or 2Gi");
      return parseQuantity(value) === undefined
        ? `is "${value}", which is not a quantity such as 500m or 2Gi`
        : undefined;
    case "integerOrText":
      return Number.isInteger(value) || typeof value === "string"
        ? undefined
        : mismatch(value, "an integer or a string");
    case "scalar":
      return ["string", "number", "boolean"].includes(typeof value)
        ? undefined
        : mismatch(value, "a string, a number, or true or false");
  }
}

function limitsOf({ min, max }: { readonly min?: number; readonly max?: number }): string {
  if (max === undefined) return `at least ${min}`;
  return min === undefined ? `at most ${max}` : `${min} to ${max}`;
}

function mismatch(value: unknown, expected: string): string {
  return `is ${typeOf(value)}, not ${expected}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "boolean" ? "true or false" : `a ${typeof value}`;
}
