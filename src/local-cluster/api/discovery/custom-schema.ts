import { isObject, type JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Schema } from "../structural/schema.ts";

/** Returns the name of a custom resource's schema in OpenAPI documents, e.g. `com.example.v1.Widget`. */
export function customSchemaName({ group, version, kind }: Pick<Kind, "group" | "version" | "kind">): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** Type fields of every resource. The descriptions begin as those of Kubernetes do. */
export const typeFields: JsonObject = {
  apiVersion: { type: "string", description: "APIVersion defines the group and version of the object's schema." },
  kind: { type: "string", description: "Kind is the type of the object, as its schema is named." },
};

/** Builds the property for an object's metadata. @param prefix of references to schemas */
function metadataField(prefix: string): JsonObject {
  return {
    allOf: [{ $ref: `${prefix}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }],
    description: "Standard object's metadata, which all kinds have.",
  };
}

/** Builds the OpenAPI v3 schema of a custom resource. */
export function customSchema(kind: Kind, schema: Schema): JsonObject {
  const prefix = "#/components/schemas/";
  return {
    ...withResourceFields(schema, prefix, { isResource: true }),
    "x-kubernetes-group-version-kind": [{ group: kind.group, version: kind.version, kind: kind.kind }],
  };
}

/** Adds the type and metadata of embedded resources to a schema. */
function withResourceFields(schema: Schema, prefix: string, { isResource = false } = {}): JsonObject {
  const { items, properties, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const fields = isResource || isEmbedded ? { ...typeFields, metadata: metadataField(prefix) } : {};
  const own = Object.entries(properties ?? {}).map(([name, part]) => [name, withResourceFields(part, prefix)]);
  const all = { ...Object.fromEntries(own), ...fields };
  const required = [...new Set([...(schema.required ?? []), ...(isEmbedded ? ["kind", "apiVersion"] : [])])];
  return {
    ...schema,
    ...(Object.keys(all).length === 0 ? {} : { properties: all }),
    ...(required.length === 0 ? {} : { required }),
    ...(items === undefined ? {} : { items: withResourceFields(items, prefix) }),
    ...(isObject(additionalProperties)
      ? { additionalProperties: withResourceFields(additionalProperties, prefix) }
      : {}),
  };
}

/**
 * Builds the OpenAPI v2 schema of a custom resource. Version 2 describes less: clients would reject values that a value validation
 * permits, or fields of objects that keep unknown ones.
 */
export function customSchemaV2(kind: Kind, schema: Schema): JsonObject {
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const content = keepsUnknown
    ? { type: "object" }
    : withResourceFields(plain(schema), "#/definitions/", { isResource: true });
  return {
    ...content,
    "x-kubernetes-group-version-kind": [{ group: kind.group, version: kind.version, kind: kind.kind }],
  };
}

/** Removes what version 2 lacks. Source: apiextensions-apiserver 1.35, pkg/controller/openapi/v2. */
function plain(schema: Schema): Schema {
  const { anyOf: _, oneOf: __, allOf: ___, not: ____, nullable, ...rest } = schema;
  const { type, items, properties, required, additionalProperties: values, ...others } = rest;
  const common = values === undefined ? others : { ...others, additionalProperties: plainValues(values) };
  const isUntyped = nullable === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (isUntyped)
    return type === "object" || type === "array" ? common : { ...common, ...(type && !nullable && { type }) };
  const inner = Object.entries(properties ?? {}).map(([name, part]) => [name, plain(part)]);
  const names = required?.filter((name) => properties?.[name]?.nullable !== true) ?? [];
  return {
    ...common,
    ...(type === undefined ? {} : { type }),
    ...(names.length === 0 ? {} : { required: names }),
    ...(items === undefined ? {} : { items: plain(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(inner) }),
  };
}

function plainValues(values: Schema | boolean): Schema | boolean {
  return typeof values === "object" ? plain(values) : values;
}
