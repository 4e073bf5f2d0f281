import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject, setField } from "../json.ts";
import { DecodeError, decode } from "../schema/decode.ts";
import { structType } from "../schema/schema.ts";
import { invalidValue } from "../validation/field-error.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/*
 * The steps that read a custom resource by its schema. They change the value in place.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apiserver/schema.
 */

type Fields = Record<string, unknown>;

/** Whether a value is an object that may be changed: a copy that only its reader has. */
function isFields(value: unknown): value is Fields {
  return isObject(value);
}

const metaFields: readonly string[] = ["apiVersion", "kind", "metadata"];

/** Removes unknown fields, and adds their paths to `unknown`. The root keeps its type and metadata. */
export function prune(value: unknown, schema: Schema, unknown: string[]): void {
  pruneValue(value, { ...schema, "x-kubernetes-embedded-resource": true }, { path: "", unknown });
}

interface Pruning {
  readonly path: string;
  readonly unknown: string[];
}

function pruneValue(value: unknown, schema: Schema | undefined, { path, unknown }: Pruning): void {
  if (isArray(value)) {
    for (const [index, item] of value.entries()) {
      const inner = { path: `${path}[${index}]`, unknown };
      // A list that keeps unknown fields also keeps those of its items.
      if (schema?.["x-kubernetes-preserve-unknown-fields"]) pruneValue(item, keeping(schema.items), inner);
      else pruneValue(item, schema?.items, inner);
    }
    return;
  }
  if (!isFields(value)) return;
  const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  for (const name of Object.keys(value)) {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.includes(name)) continue;
    const inner = { path: path === "" ? name : `${path}.${name}`, unknown };
    const property = schema === undefined ? undefined : propertySchema(schema, name);
    if (property !== undefined) pruneValue(ownMember(value, name), property, inner);
    else if (schema?.additionalProperties !== undefined) pruneValue(ownMember(value, name), valueSchema(schema), inner);
    else if (!keepsUnknown) {
      if (path !== "" || !metaFields.includes(name)) unknown.push(inner.path);
      delete value[name];
    }
  }
}

function keeping(schema: Schema | undefined): Schema {
  return { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

/** Removes null values that their schema neither permits nor replaces by a default. */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (isArray(value)) for (const item of value) dropNulls(item, schema?.items);
  if (!isFields(value)) return;
  for (const name of Object.keys(value)) {
    const inner = schema && (propertySchema(schema, name) ?? valueSchema(schema));
    const content = ownMember(value, name);
    if (content === null && isForbiddenNull(inner) && inner?.default === undefined) delete value[name];
    else dropNulls(content, inner);
  }
}

function isForbiddenNull(schema: Schema | undefined): boolean {
  return schema !== undefined && schema.nullable !== true;
}

/** Sets the defaults of absent fields, and of null values that are not permitted. */
export function fillDefaults(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    for (const [index, item] of value.entries()) {
      if (item === null && isForbiddenNull(items) && items?.default !== undefined) value[index] = copyOf(items.default);
      fillDefaults(value[index], items);
    }
    return;
  }
  if (!isFields(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const content = ownMember(value, name);
    const isAbsent = content === undefined || (content === null && isForbiddenNull(property));
    if (property.default !== undefined && isAbsent) setField(value, name, copyOf(property.default));
  }
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    const content = ownMember(value, name);
    if (content === null && isForbiddenNull(inner) && inner?.default !== undefined) {
      setField(value, name, copyOf(inner.default));
    }
    fillDefaults(ownMember(value, name), inner);
  }
}

function copyOf(value: unknown): unknown {
  return structuredClone(value);
}

/** Decodes the metadata of an object; `unknown` receives the paths of unknown fields. @throws DecodeError */
export function readMetadata(metadata: unknown, path: string, unknown: string[]): Fields {
  const decoded = decode(structType("meta.ObjectMeta"), metadata);
  unknown.push(...decoded.unknown.map((field) => `${path}.${field}`));
  const { apiVersion: _, kind: __, ...fields } = decoded.object;
  return fields;
}

/**
 * Decodes the metadata of embedded resources.
 *
 * @throws DecodeError for a type or metadata of the wrong type
 */
export function readEmbedded(value: unknown, schema: Schema | undefined, unknown: string[], path = ""): void {
  if (schema === undefined) return;
  if (isArray(value)) {
    for (const [index, item] of value.entries()) readEmbedded(item, schema.items, unknown, `${path}[${index}]`);
    return;
  }
  if (!isFields(value)) return;
  for (const name of Object.keys(value)) {
    const field = path === "" ? name : `${path}.${name}`;
    if (schema["x-kubernetes-embedded-resource"] === true) readEmbeddedField(value, name, { field, unknown });
    readEmbedded(ownMember(value, name), propertySchema(schema, name) ?? valueSchema(schema), unknown, field);
  }
}

function readEmbeddedField(
  value: Fields,
  name: string,
  { field, unknown }: { field: string; unknown: string[] },
): void {
  const content = value[name];
  const reject = (fault: string) => {
    const { message } = invalidValue(field, content, fault);
    return new DecodeError(`${field}: ${message}`);
  };
  if ((name === "apiVersion" || name === "kind") && typeof content !== "string") throw reject("must be a string");
  if (name !== "metadata") return;
  try {
    value[name] = readMetadata(content, field, unknown);
  } catch (error) {
    throw error instanceof DecodeError ? reject(error.message) : error;
  }
}
