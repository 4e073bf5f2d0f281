import { isArray } from "../json.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../validation/field-error.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/*
 * Validation of the schemas of custom resource definitions, except that they are structural.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apis/apiextensions/validation.
 */

/** The position of a schema in the schema of an object. */
interface Position {
  readonly path: string;
  readonly isRoot: boolean;
  /** Whether it describes the type or metadata of a resource. */
  readonly isMetadata: boolean;
  /** Reason why it cannot have defaults. @default it can */
  readonly noDefaults?: string;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

const metaFields: readonly string[] = ["metadata", "kind", "apiVersion"];

/** Returns the errors of a schema, whether or not it is structural. @param path its path in the definition */
export function schemaErrors(schema: Schema, path: string): FieldError[] {
  return errorsAt(schema, { path, isRoot: true, isMetadata: false });
}

function errorsAt(schema: Schema, position: Position): FieldError[] {
  const { path } = position;
  return [
    ...fieldErrors(schema, position),
    ...(schema.uniqueItems === true
      ? [
          forbiddenField(
            `${path}.uniqueItems`,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
          ),
        ]
      : []),
    ...mapErrors(schema, position),
    ...innerErrors(schema, position),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined")]
      : []),
    ...mapTypeErrors(schema, path),
    ...listTypeErrors(schema, path),
    ...listKeyErrors(schema, path),
    ...keyFieldErrors(schema, path),
    ...ruleErrors(schema, path),
  ];
}

/** Fields of JSON Schema that are not supported. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function fieldErrors(schema: Schema, { path, isMetadata, noDefaults }: Position): FieldError[] {
  const { type } = schema;
  return [
    ...(type === undefined || types.includes(type) ? [] : [notSupported(`${path}.type`, type, types)]),
    ...(schema.default === undefined || noDefaults === undefined
      ? []
      : [forbiddenField(`${path}.default`, `must not be set ${noDefaults}`)]),
    ...unsupported.flatMap((name) =>
      schema[name] === undefined ? [] : [forbiddenField(`${path}.${name}`, `${name} is not supported`)],
    ),
    ...(type === "null"
      ? [forbiddenField(`${path}.type`, "type cannot be set to null, use nullable as an alternative")]
      : []),
    ...(isArray(schema.items)
      ? [forbiddenField(`${path}.items`, "items must be a schema object and not an array")]
      : []),
    ...(isMetadata && schema["x-kubernetes-embedded-resource"] === true
      ? [forbiddenField(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta")]
      : []),
  ];
}

function mapErrors(schema: Schema, position: Position): FieldError[] {
  const { additionalProperties, properties } = schema;
  const { path, isMetadata } = position;
  if (additionalProperties === undefined) return [];
  const values = valueSchema(schema);
  const noDefaults = "inside additionalProperties applying to object metadata";
  const inner = { ...position, path: `${path}.additionalProperties`, isRoot: false };
  return [
    ...(properties === undefined || additionalProperties === true
      ? []
      : [forbiddenField(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")]),
    ...(values === undefined ? [] : errorsAt(values, isMetadata ? { ...inner, noDefaults } : inner)),
  ];
}

function innerErrors(schema: Schema, position: Position): FieldError[] {
  const { path, isRoot } = position;
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isMeta = isResource && metaFields.includes(name);
    return errorsAt(property, {
      ...position,
      ...{ path: `${path}.properties[${name}]`, isRoot: false, isMetadata: position.isMetadata || isMeta },
      ...(isMeta && isRoot ? { noDefaults: `in top-level ${name}` } : {}),
    });
  });
  const lists = (["allOf", "oneOf", "anyOf"] as const).flatMap((name) =>
    (schema[name] ?? []).flatMap((part, index) =>
      errorsAt(part, { ...position, path: `${path}.${name}[${index}]`, isRoot: false }),
    ),
  );
  const { not, items } = schema;
  return [
    ...properties,
    ...(not === undefined ? [] : errorsAt(not, { ...position, path: `${path}.not`, isRoot: false })),
    ...lists,
    ...(items === undefined || isArray(items)
      ? []
      : errorsAt(items, { ...position, path: `${path}.items`, isRoot: false })),
  ];
}

/** Returns the error of a schema that has not the type that an extension requires. */
function typeErrors({ type }: Schema, path: string, { is, when }: { is: string; when: string }): FieldError[] {
  const text = `must be ${is} if ${when}`;
  if (type === is) return [];
  return [type === undefined ? required(`${path}.type`, text) : invalidValue(`${path}.type`, type, text)];
}

function mapTypeErrors(schema: Schema, path: string): FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const known = ["atomic", "granular"];
  return [
    ...typeErrors(schema, path, { is: "object", when: "x-kubernetes-map-type is specified" }),
    ...(known.includes(mapType) ? [] : [notSupported(`${path}.x-kubernetes-map-type`, mapType, known)]),
  ];
}

function listTypeErrors(schema: Schema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === undefined) return [];
  const known = ["atomic", "set", "map"];
  const own = typeErrors(schema, path, { is: "array", when: "x-kubernetes-list-type is specified" });
  return [
    ...(own.length > 0 || listType !== "set" ? own : setItemErrors(schema.items, path)),
    ...(known.includes(listType) ? [] : [notSupported(`${path}.x-kubernetes-list-type`, listType, known)]),
  ];
}

function setItemErrors(items: Schema | undefined, path: string): FieldError[] {
  const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalidValue(`${path}.items.x-kubernetes-list-type`, listType, text)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalidValue(`${path}.items.x-kubernetes-map-type`, listType ?? null, text)];
  }
  return [];
}

function listKeyErrors(schema: Schema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const text = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (listType !== "map") {
    if (keys.length === 0) return [];
    const field = `${path}.x-kubernetes-list-type`;
    return [listType === undefined ? required(field, text) : invalidValue(field, listType, text)];
  }
  const { items } = schema;
  const field = `${path}.x-kubernetes-list-map-keys`;
  const none = keys.length > 0 ? [] : [required(field, "must not be empty if x-kubernetes-list-type is map")];
  if (items === undefined) {
    return [...none, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  }
  if (items.type !== "object") {
    const wrong = "must be object if parent array's x-kubernetes-list-type is map";
    return [...none, invalidValue(`${path}.items.type`, items.type ?? "", wrong)];
  }
  const errors = keys.flatMap((key, index) => {
    const property = propertySchema(items, key);
    const scalar = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    return [
      ...(property === undefined ? [invalidValue(field, keys, "entries must all be names of item properties")] : []),
      ...(property?.type === "array" || property?.type === "object"
        ? [invalidValue(`${path}.items.properties[${key}].type`, items.type, scalar)]
        : []),
      ...(keys.indexOf(key) < index ? [invalidValue(field, keys, "must not contain duplicate entries")] : []),
    ];
  });
  return [...none, ...errors];
}

/** Returns the errors of list items and key fields that may be null or absent. */
function keyFieldErrors(schema: Schema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const nullable =
    items.nullable === true
      ? [forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
      : [];
  if (listType === "set") return nullable;
  const own = "this property is in x-kubernetes-list-map-keys, so it";
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).flatMap((key) => {
    const property = propertySchema(items, key);
    if (property === undefined) return [];
    const field = `${path}.items.properties[${key}]`;
    const isPresent = (items.required ?? []).includes(key) || property.default !== undefined;
    return [
      ...(isPresent ? [] : [required(`${field}.default`, `${own} must have a default or be a required property`)]),
      ...(property.nullable === true ? [forbiddenField(`${field}.nullable`, `${own} cannot be nullable`)] : []),
    ];
  });
  return [...nullable, ...keys];
}

/** Returns the errors of validation rules that can be found without evaluating them. */
function ruleErrors(schema: Schema, path: string): FieldError[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap(({ rule, message }, index) => {
    const field = `${path}.x-kubernetes-validations[${index}]`;
    const text = typeof rule === "string" ? rule.trim() : "";
    const own = typeof message === "string" ? message : "";
    if (text === "") return [required(`${field}.rule`, "rule is not specified")];
    if (own !== "" && own.trim() === "") {
      return [invalidValue(`${field}.message`, own, "must be non-empty if specified")];
    }
    if (/[\n\r]/.test(own.trim())) return [invalidValue(`${field}.message`, own, "must not contain line breaks")];
    if (!/[\n\r]/.test(text) || own !== "") return [];
    return [required(`${field}.message`, "message must be specified if rule contains line breaks")];
  });
}
