import type { JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { structType } from "../schema/schema.ts";
import { propertySchema, type Schema, valueSchema } from "../structural/schema.ts";
import { rootShape, type Shape } from "./typed-value.ts";

const atomic: Shape = { is: "atomic" };

/** Shape of values without a schema: objects are divided into fields, lists are not divided. */
const deduced: Shape = { is: "fields", of: () => deduced };

/** Returns the division of a kind's objects into fields, for server-side apply. */
export function shapeOf({ custom, type }: Kind): Shape {
  return custom === undefined ? rootShape(type) : customShape(custom.schema);
}

/** Returns the division of a custom resource into fields for server-side apply. */
export function customShape(schema: Schema): Shape {
  return fieldsShape({ ...schema, "x-kubernetes-embedded-resource": true });
}

function schemaShape(schema: Schema | undefined): Shape {
  if (schema === undefined) return deduced;
  if (schema["x-kubernetes-map-type"] === "atomic" || schema["x-kubernetes-int-or-string"] === true) return atomic;
  switch (schema.type) {
    case "array":
      return listShape(schema);
    case "object":
    case undefined:
      return fieldsShape(schema);
    default:
      return atomic;
  }
}

function fieldsShape(schema: Schema): Shape {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const known = new Map<string, Shape>();
  const read = (name: string) => {
    if (isResource && name === "metadata") return rootShape(structType("meta.ObjectMeta"));
    if (isResource && (name === "apiVersion" || name === "kind")) return atomic;
    return schemaShape(propertySchema(schema, name) ?? valueSchema(schema));
  };
  return {
    is: "fields",
    of(name) {
      const shape = known.get(name) ?? read(name);
      // Only names of the schema: others come from clients.
      if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) known.set(name, shape);
      return shape;
    },
  };
}

function listShape({ items, ...schema }: Schema): Shape {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { is: "set" };
    case "map": {
      const keys = schema["x-kubernetes-list-map-keys"] ?? [];
      const defaults: JsonObject = Object.fromEntries(
        keys.flatMap((key) => {
          const value = items && propertySchema(items, key)?.default;
          return value === undefined ? [] : [[key, value]];
        }),
      );
      return { is: "keyed", keys, defaults, item: schemaShape(items) };
    }
    default:
      return atomic;
  }
}
