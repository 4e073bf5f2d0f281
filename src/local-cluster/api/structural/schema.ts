import { ownMember } from "../../../values/own-member.ts";
import { goTypeOf, isArray, isObject, type JsonObject, setField } from "../json.ts";

/** A structural schema in OpenAPI v3, with the fields that custom resource definitions support. */
export interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly JsonObject[];
  /** Fields that definitions cannot use; validation rejects them. */
  readonly id?: string;
  readonly $ref?: string;
  readonly additionalItems?: unknown;
  readonly patternProperties?: unknown;
  readonly definitions?: unknown;
  readonly dependencies?: unknown;
}

type FieldKind =
  | "text"
  | "optionalText"
  | "flag"
  | "optionalFlag"
  | "number"
  | "integer"
  | "texts"
  | "list"
  | "objects"
  | "any"
  | "schema"
  | "schemas"
  | "schemaMap"
  | "schemaOrFlag";

const fieldKinds: Readonly<Record<string, FieldKind>> = {
  ...{ type: "text", title: "text", description: "text", format: "text", pattern: "text", id: "text" },
  ...{ $ref: "optionalText", $schema: "text", default: "any", example: "any", externalDocs: "any", enum: "list" },
  ...{ nullable: "flag", uniqueItems: "flag", exclusiveMaximum: "flag", exclusiveMinimum: "flag" },
  ...{ maximum: "number", minimum: "number", multipleOf: "number", maxLength: "integer", minLength: "integer" },
  ...{ maxItems: "integer", minItems: "integer", maxProperties: "integer", minProperties: "integer" },
  ...{ required: "texts", items: "schema", properties: "schemaMap", additionalProperties: "schemaOrFlag" },
  ...{ allOf: "schemas", anyOf: "schemas", oneOf: "schemas", not: "schema" },
  ...{ additionalItems: "any", patternProperties: "any", definitions: "any", dependencies: "any" },
  "x-kubernetes-preserve-unknown-fields": "optionalFlag",
  "x-kubernetes-embedded-resource": "flag",
  "x-kubernetes-int-or-string": "flag",
  "x-kubernetes-list-type": "optionalText",
  "x-kubernetes-list-map-keys": "texts",
  "x-kubernetes-map-type": "optionalText",
  "x-kubernetes-validations": "objects",
};

/** A schema with a field of the wrong type. Its message is that of Go's JSON decoder. */
export class SchemaError extends Error {}

/**
 * Reads a schema: removes unknown fields and, like Kubernetes, empty values.
 *
 * @throws SchemaError
 */
export function readSchema(value: unknown): Schema {
  if (!isObject(value)) throw mismatch(value, "", "JSONSchemaProps");
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const kind = ownMember(fieldKinds, name);
    if (kind === undefined || field === null || field === undefined) continue;
    const read = readField(kind, name, field);
    if (read !== undefined) setField(result, name, read);
  }
  return result;
}

const goTypes: Readonly<Partial<Record<FieldKind, string>>> = {
  ...{ text: "string", optionalText: "string", flag: "bool", optionalFlag: "bool", number: "float64" },
  ...{ integer: "int64", texts: "[]string", list: "[]v1.JSON", objects: "v1.ValidationRules" },
  ...{ schemas: "[]v1.JSONSchemaProps", schemaMap: "map[string]v1.JSONSchemaProps" },
};

function mismatch(value: unknown, name: string, type: string): SchemaError {
  const found = goTypeOf(value);
  const field = name === "" ? "Go value" : `Go struct field JSONSchemaProps.${name}`;
  return new SchemaError(`json: cannot unmarshal ${found} into ${field} of type ${type}`);
}

function readField(kind: FieldKind, name: string, value: unknown): unknown {
  const wrong = () => mismatch(value, name, goTypes[kind] ?? "v1.JSONSchemaProps");
  switch (kind) {
    case "text":
    case "optionalText":
      if (typeof value !== "string") throw wrong();
      return value === "" && kind === "text" ? undefined : value;
    case "flag":
    case "optionalFlag":
      if (typeof value !== "boolean") throw wrong();
      return kind === "flag" && !value ? undefined : value;
    case "number":
    case "integer":
      if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value))) throw wrong();
      return value;
    case "any":
      return value;
    case "schema":
      // A list of schemas stays as it is; validation rejects it.
      return name === "items" && isArray(value) ? value : readSchema(value);
    case "schemaOrFlag":
      return typeof value === "boolean" ? value : readSchema(value);
    case "schemaMap":
      if (!isObject(value)) throw wrong();
      return readMap(value);
    default:
      if (!isArray(value)) throw wrong();
      return value.length === 0 ? undefined : readList(kind, value, wrong);
  }
}

function readList(kind: FieldKind, value: readonly unknown[], wrong: () => SchemaError): readonly unknown[] {
  if (kind === "schemas") return value.map((item) => readSchema(item));
  const isItem =
    kind === "texts" ? (item: unknown) => typeof item === "string" : kind === "objects" ? isObject : Boolean;
  if (kind !== "list" && !value.every(isItem)) throw wrong();
  return value;
}

function readMap(value: JsonObject): JsonObject | undefined {
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  const result: Record<string, unknown> = {};
  for (const name of names) setField(result, name, readSchema(value[name]));
  return result;
}

/** Returns the schema of a map's values; `undefined` if they have none. */
export function valueSchema({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Returns the schema of a field; `undefined` for an unknown one. */
export function propertySchema(schema: Schema, name: string): Schema | undefined {
  return schema.properties === undefined ? undefined : ownMember(schema.properties, name);
}

/** Returns a schema and all schemas in it, including those of value validations. */
export function schemasIn(schema: Schema): readonly Schema[] {
  const { items, properties = {}, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const inner = [items, valueSchema(schema), ...Object.values(properties), ...allOf, ...anyOf, ...oneOf, not];
  return [schema, ...inner.flatMap((part) => (part === undefined || isArray(part) ? [] : schemasIn(part)))];
}
