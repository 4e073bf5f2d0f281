import { isArray, isObject, type JsonObject } from "../json.ts";
import { isDraft } from "../object.ts";
import { type FieldError, invalidValue, required } from "../validation/field-error.ts";
import { validateMetadata } from "../validation/metadata.ts";
import { dns1035Label, pathSegment } from "../validation/names.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/**
 * Returns the errors of the types and metadata of embedded resources.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apiserver/schema/objectmeta.
 */
export function embeddedErrors(schema: Schema | undefined, value: unknown, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (isArray(value)) {
    return value.flatMap((item, index) => embeddedErrors(schema.items, item, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] === true ? resourceErrors(value, path) : [];
  const inner = Object.entries(value).flatMap(([name, content]) => {
    const property = propertySchema(schema, name);
    if (property !== undefined) return embeddedErrors(property, content, path === "" ? name : `${path}.${name}`);
    return embeddedErrors(valueSchema(schema), content, `${path}[${name}]`);
  });
  return [...own, ...inner];
}

function resourceErrors(value: JsonObject, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = value;
  const object = { apiVersion: "v1", kind: "Object", metadata: nameOf(metadata) };
  const faults = typeof kind === "string" ? dns1035Label(kind.toLowerCase()) : [];
  return [
    ...textErrors(apiVersion, `${path}.apiVersion`),
    ...textErrors(kind, `${path}.kind`),
    ...(typeof apiVersion === "string" && apiVersion.split("/").length > 2
      ? [invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
      : []),
    ...(kind !== "" && faults.length > 0
      ? [invalidValue(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${faults.join(",")}`)]
      : []),
    ...(metadata === undefined || !isDraft(object)
      ? []
      : validateMetadata(object, { name: pathSegment, acceptsAnyFinalizer: true }).map((error) => ({
          ...error,
          field: `${path}.${error.field}`,
        }))),
  ];
}

/** Returns metadata with a name, which embedded resources do not need. */
function nameOf(metadata: unknown): JsonObject {
  const fields = isObject(metadata) ? metadata : {};
  return fields["name"] === undefined || fields["name"] === "" ? { ...fields, name: "fakename" } : fields;
}

function textErrors(value: unknown, field: string): FieldError[] {
  if (value === undefined) return [required(field)];
  if (typeof value !== "string") return [invalidValue(field, value, "must be a string")];
  return value === "" ? [invalidValue(field, value, "must not be empty")] : [];
}
