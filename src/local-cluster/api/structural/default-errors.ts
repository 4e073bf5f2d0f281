import { isArray, isSame } from "../json.ts";
import { DecodeError } from "../schema/decode.ts";
import { type FieldError, invalidValue } from "../validation/field-error.ts";
import { prune, readEmbedded } from "./coerce.ts";
import { embeddedErrors } from "./embedded-errors.ts";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validate-value.ts";

/**
 * Returns the errors of the defaults in a structural schema: each must fit its schema.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apiserver/schema/defaulting.
 */
export function defaultErrors(schema: Schema, path: string): FieldError[] {
  const { items, properties = {} } = schema;
  return [
    ...(schema.default === undefined ? [] : errorsOf(schema, schema.default, `${path}.default`)),
    ...(items === undefined || isArray(items) ? [] : defaultErrors(items, `${path}.items`)),
    ...Object.entries(properties).flatMap(([name, property]) => defaultErrors(property, `${path}.properties[${name}]`)),
  ];
}

function errorsOf(schema: Schema, value: unknown, path: string): FieldError[] {
  // A holder makes the default a field, so that its own schema applies to it.
  const holder: Schema = { type: "object", properties: { value: schema } };
  const copy = structuredClone({ value });
  prune(copy, holder, []);
  const isPruned = !isSame(copy, { value });
  const fieldAt = (field: string) => field.replace(/^value/, path);
  return [
    ...(isPruned ? [invalidValue(path, value, "must not have unknown fields")] : []),
    ...metadataErrors(holder, copy, path),
    ...embeddedErrors(holder, copy).map((error) => ({ ...error, field: fieldAt(error.field) })),
    ...validateValue(schema, value, { root: path }),
  ];
}

function metadataErrors(holder: Schema, copy: object, path: string): FieldError[] {
  try {
    readEmbedded(copy, holder, []);
    return [];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [invalidValue(path, "", error.message)];
  }
}
