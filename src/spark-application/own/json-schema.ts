import type { Schema } from "../schema/schema.ts";
import { ownDescriptions, ownSchema } from "./own-application.ts";
import { ownScheduleSchema } from "./own-schedule.ts";

/** Builds the JSON Schema of Firesteel's own format, for editors. */
export function ownJsonSchema(): object {
  const descriptions: Readonly<Record<string, string>> = ownDescriptions;
  const { properties, ...rest } = objectSchema(ownSchema);
  const described = Object.entries(properties).map(([name, schema]) => [
    name,
    { description: descriptions[name], ...schema },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Firesteel application",
    ...rest,
    properties: Object.fromEntries(described),
  };
}

/** Builds the JSON Schema of schedules in Firesteel's own format. */
export function ownScheduleJsonSchema(): object {
  return { title: "Firesteel schedule", ...objectSchema(ownScheduleSchema) };
}

interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

function objectSchema(schema: Schema): ObjectSchema {
  const fields = schema.type === "object" ? Object.entries(schema.fields) : [];
  const required = fields.filter(([key]) => key.endsWith("!")).map(([key]) => key.slice(0, -1));
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([key, field]) => [key.replace(/!$/, ""), jsonSchemaOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function jsonSchemaOf(schema: Schema): object {
  switch (schema.type) {
    case "text":
      return { type: "string", ...(schema.values && { enum: schema.values }) };
    case "integer": {
      const { min, max } = schema;
      return {
        type: "integer",
        ...(min !== undefined && { minimum: min }),
        ...(max !== undefined && { maximum: max }),
      };
    }
    case "flag":
      return { type: "boolean" };
    case "quantity":
    case "integerOrText":
      return { type: ["string", "integer"] };
    case "scalar":
      return { type: ["string", "number", "boolean"] };
    case "map":
      return { type: "object", additionalProperties: jsonSchemaOf(schema.of) };
    case "list":
      return { type: "array", items: jsonSchemaOf(schema.of) };
    case "object":
      return objectSchema(schema);
    case "any":
      return {};
  }
}
