import { isArray, isObject } from "../json.ts";
import { duplicate, type FieldError, invalidValue } from "../validation/field-error.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/**
 * Returns the errors of repeated items in lists of the types set and map.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apiserver/schema/listtype.
 */
export function listTypeErrors(schema: Schema | undefined, value: unknown, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (isArray(value)) {
    const inner = value.flatMap((item, index) => listTypeErrors(schema.items, item, `${path}[${index}]`));
    return [...repeatedErrors(schema, value, path), ...inner];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, content]) => {
    const property = propertySchema(schema, name);
    if (property !== undefined) return listTypeErrors(property, content, path === "" ? name : `${path}.${name}`);
    return listTypeErrors(valueSchema(schema), content, `${path}[${name}]`);
  });
}

function repeatedErrors(schema: Schema, value: readonly unknown[], path: string): FieldError[] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return repeated(value, path);
    case "map": {
      const wrong = value.findIndex((item) => item !== null && !isObject(item));
      if (wrong >= 0) {
        return [invalidValue(`${path}[${wrong}]`, value[wrong], "must be an object for an array of list-type map")];
      }
      const names = schema["x-kubernetes-list-map-keys"] ?? [];
      return repeated(
        value.map((item) => keysOf(item, names)),
        path,
      );
    }
    default:
      return [];
  }
}

function keysOf(item: unknown, names: readonly string[]): object {
  const object = isObject(item) ? item : {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));
}

/** Returns an error for the second occurrence of each item. */
function repeated(items: readonly unknown[], path: string): FieldError[] {
  const counts = new Map<string, number>();
  return items.flatMap((item, index) => {
    const text = JSON.stringify(item);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count === 2 ? [duplicate(`${path}[${index}]`, item)] : [];
  });
}
