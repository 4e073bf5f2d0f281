import { isArray, isSame } from "../json.ts";
import { type FieldError, forbiddenField, invalidValue, required } from "../validation/field-error.ts";
import { patternFault } from "./patterns.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/*
 * Checks that a schema is structural: it gives each field a type, apart from value validations.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apiserver/schema.
 */

type Level = "root" | "item" | "field";

/** Returns the errors of a schema that is not structural. @param path its path in the definition */
export function structuralErrors(schema: Schema, path: string): FieldError[] {
  const errors = [
    ...invariantErrors(schema, "root", path),
    ...completenessErrors(schema, schema, { path, structurePath: path }),
  ];
  const text = ({ field, message }: FieldError) => `${field}: ${message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

function invariantErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const { items, properties = {} } = schema;
  const values = valueSchema(schema);
  return [
    ...(schema.type === "array" && items === undefined ? [required(`${path}.items`, "must be specified")] : []),
    ...(items === undefined || isArray(items) ? [] : invariantErrors(items, "item", `${path}.items`)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      invariantErrors(property, "field", `${path}.properties[${name}]`),
    ),
    ...(schema.additionalProperties !== undefined && level === "root"
      ? [forbiddenField(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(values === undefined ? [] : invariantErrors(values, "field", `${path}.additionalProperties`)),
    ...extensionErrors(schema, path),
    ...validationErrors(schema, path, exceptionOf(schema)),
    ...typeErrors(schema, level, path),
    ...metadataErrors(schema, level, path),
  ];
}

function extensionErrors(schema: Schema, path: string): FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  const names = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;
  return names
    .filter((name) => schema[name] === true)
    .map((name) => invalidValue(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const { type } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const own: FieldError[] = [];
  if (isEmbedded && type !== "object") {
    const text = "must be object if x-kubernetes-embedded-resource is true";
    own.push(type === undefined ? required(`${path}.type`, text) : invalidValue(`${path}.type`, type, text));
  } else if (type === undefined && schema["x-kubernetes-int-or-string"] !== true && !keepsUnknown) {
    own.push(required(`${path}.type`, missingType[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    own.push(
      forbiddenField(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
    );
  }
  if (level === "root" && type !== undefined && type !== "object") {
    own.push(invalidValue(`${path}.type`, type, "must be object at the root"));
  }
  if (isEmbedded && !keepsUnknown && schema.properties === undefined) {
    const text =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    own.push(required(`${path}.properties`, text));
  }
  return own;
}

function metadataErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  if (!isResource) return [];
  const texts = ["kind", "apiVersion"].flatMap((name) => {
    const property = propertySchema(schema, name);
    if (property === undefined || property.type === "string") return [];
    return [invalidValue(`${path}.properties[${name}].type`, property.type ?? "", "must be string")];
  });
  const metadata = propertySchema(schema, "metadata");
  if (metadata === undefined) return texts;
  const field = `${path}.properties[metadata]`;
  const { type, description: _, title: __, default: ___, properties = {}, ...others } = metadata;
  const isPlain =
    Object.keys(others).length === 0 &&
    Object.keys(properties).every((name) => ["name", "generateName"].includes(name));
  const text = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  return [
    ...texts,
    ...(type === "object" ? [] : [invalidValue(`${field}.type`, type ?? "", "must be object")]),
    ...(level !== "root" || isPlain ? [] : [forbiddenField(field, text)]),
  ];
}

const intOrString: readonly Schema[] = [{ type: "integer" }, { type: "string" }];

/** Value validations that may repeat the types of an integer or string. */
type Exception = "anyOf" | "allOf" | undefined;

function exceptionOf({ anyOf, allOf }: Schema): Exception {
  if (isSame(anyOf, intOrString)) return "anyOf";
  return isSame(allOf?.[0]?.anyOf, intOrString) ? "allOf" : undefined;
}

/** Returns the errors of the value validations of a schema. */
function validationErrors(schema: Schema, path: string, exception: Exception): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const fault = pattern === undefined ? undefined : patternFault(pattern);
  return [
    ...(exception === "anyOf" ? [] : anyOf.flatMap((part, index) => nestedErrors(part, `${path}.anyOf[${index}]`))),
    ...allOf.flatMap((part, index) =>
      nestedErrors(part, `${path}.allOf[${index}]`, exception === "allOf" && index === 0 ? "anyOf" : undefined),
    ),
    ...oneOf.flatMap((part, index) => nestedErrors(part, `${path}.oneOf[${index}]`)),
    ...(not === undefined ? [] : nestedErrors(not, `${path}.not`)),
    ...(fault === undefined
      ? []
      : [invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)]),
  ];
}

/** Fields that only the structure may have, with the state that value validations require. */
const structureFields = [
  ["type", "empty"],
  ["additionalProperties", "undefined"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
] as const;

function nestedErrors(schema: Schema, path: string, exception?: Exception): FieldError[] {
  const { items, properties = {} } = schema;
  return [
    ...validationErrors(schema, path, exception),
    ...(items === undefined || isArray(items) ? [] : nestedErrors(items, `${path}.items`)),
    ...Object.entries(properties).flatMap(([name, part]) => nestedErrors(part, `${path}.properties[${name}]`)),
    ...structureFields.flatMap(([name, state]) =>
      schema[name] === undefined ? [] : [forbiddenField(`${path}.${name}`, `must be ${state} to be structural`)],
    ),
    ...(Object.hasOwn(properties, "metadata")
      ? [forbiddenField(`${path}.properties[metadata]`, "must not be specified in a nested context")]
      : []),
  ];
}

/** Paths of a value validation and of the structure at the same place. */
interface Paths {
  readonly path: string;
  readonly structurePath: string;
}

/** Returns an error for each field in a schema's value validations that its structure lacks. */
function completenessErrors(schema: Schema, structure: Schema, { path, structurePath }: Paths): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const parts = [
    ...(not === undefined ? [] : [["not", not] as const]),
    ...allOf.map((part, index) => [`allOf[${index}]`, part] as const),
    ...anyOf.map((part, index) => [`anyOf[${index}]`, part] as const),
    ...oneOf.map((part, index) => [`oneOf[${index}]`, part] as const),
  ];
  return parts.flatMap(([name, part]) =>
    nestedCompleteness(part, structure, { path: `${path}.${name}`, structurePath }),
  );
}

function nestedCompleteness(schema: Schema, structure: Schema | undefined, paths: Paths): FieldError[] {
  const { path, structurePath } = paths;
  if (structure === undefined) return [required(structurePath, `because it is defined in ${path}`)];
  const { items, properties = {} } = schema;
  const at = (name: string): Paths => ({ path: `${path}.${name}`, structurePath: `${structurePath}.${name}` });
  return [
    ...completenessErrors(schema, structure, paths),
    ...(items === undefined || isArray(items) ? [] : nestedCompleteness(items, structure.items, at("items"))),
    ...Object.entries(properties).flatMap(([name, part]) =>
      nestedCompleteness(part, propertySchema(structure, name), at(`properties[${name}]`)),
    ),
  ];
}
