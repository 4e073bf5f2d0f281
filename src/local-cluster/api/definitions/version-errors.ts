import { fieldsOfPath } from "../json-path.ts";
import { propertySchema, type Schema } from "../structural/schema.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooMany,
} from "../validation/field-error.ts";
import type { DefinitionVersion } from "./definition.ts";

/** Returns the errors of a version's warning. */
export function deprecationErrors(
  { deprecated, deprecationWarning: text }: DefinitionVersion,
  field: string,
): FieldError[] {
  if (text === undefined) return [];
  const reject = (fault: string) => [invalidValue(field, text, fault)];
  if (deprecated !== true) return reject("can only be set for deprecated versions");
  const at = text.search(/[\p{C}\p{Zl}\p{Zp}]/u);
  return [
    ...(Buffer.byteLength(text) > 256 ? reject("must be <= 256 characters long") : []),
    ...(text === "" ? reject("must not be an empty string") : []),
    ...(at < 0
      ? []
      : reject(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`)),
  ];
}

/** Fields that the root of a schema may have if the status is a subresource, as Kubernetes lists them. */
const rootFields =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems " +
  "UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";

const namesInGo: Readonly<Record<string, string>> = {
  "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
  "x-kubernetes-validations": "XValidations",
};

/** Returns the errors of the root of a schema. */
export function rootErrors({ subresources }: DefinitionVersion, schema: Schema, path: string): FieldError[] {
  const nullable =
    schema.nullable === true ? [forbiddenField(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  if (subresources?.status === undefined) return nullable;
  const type = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
  if (schema.type !== undefined && schema.type !== "object") {
    return [invalidValue(`${path}.type`, schema.type, type), ...nullable];
  }
  const allowed = rootFields.split(" ");
  const isAllowed = (name: string) =>
    allowed.includes(namesInGo[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  if (Object.keys(schema).every(isAllowed)) return nullable;
  const text = `only [${rootFields}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(path, schema, text), ...nullable];
}

/** Returns the errors of a version's subresources. */
export function subresourceErrors({ subresources }: DefinitionVersion, field: string): FieldError[] {
  const { scale } = subresources ?? {};
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return [
    ...replicasPathErrors(`${field}.scale.specReplicasPath`, specReplicasPath, ".spec"),
    ...replicasPathErrors(`${field}.scale.statusReplicasPath`, statusReplicasPath, ".status"),
    ...(labelSelectorPath === "" ? [] : selectorPathErrors(`${field}.scale.labelSelectorPath`, labelSelectorPath)),
  ];
}

function replicasPathErrors(field: string, path: string, parent: string): FieldError[] {
  if (path === "") return [required(field)];
  const errors = pathErrors(field, path);
  if (errors.length > 0 || path.startsWith(`${parent}.`)) return errors;
  return [invalidValue(field, path, `should be a json path under ${parent}`)];
}

function selectorPathErrors(field: string, path: string): FieldError[] {
  const errors = pathErrors(field, path);
  if (errors.length > 0 || path.startsWith(".spec.") || path.startsWith(".status.")) return errors;
  return [invalidValue(field, path, "should be a json path under either .spec or .status")];
}

function pathErrors(field: string, path: string): FieldError[] {
  return path.startsWith(".") ? [] : [invalidValue(field, path, "must be a simple json path starting with .")];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Returns the errors of a version's printer columns. */
export function columnErrors({ additionalPrinterColumns = [] }: DefinitionVersion, field: string): FieldError[] {
  return additionalPrinterColumns.flatMap(({ name, type, format = "", jsonPath }, index) => {
    const own = `${field}[${index}]`;
    const types = `must be one of ${columnTypes.join(",")}`;
    const formats = `must be one of ${columnFormats.join(",")}`;
    return [
      ...(name === "" ? [required(`${own}.name`)] : []),
      ...(type === "" ? [required(`${own}.type`, types)] : []),
      ...(type === "" || columnTypes.includes(type) ? [] : [invalidValue(`${own}.type`, type, types)]),
      ...(format === "" || columnFormats.includes(format) ? [] : [invalidValue(`${own}.format`, format, formats)]),
      ...(jsonPath === "" ? [required(`${own}.JSONPath`)] : pathErrors(`${own}.JSONPath`, jsonPath)),
    ];
  });
}

const maxSelectableFields = 8;

/** Returns the errors of a version's selectable fields. */
export function selectableErrors({ selectableFields = [], schema }: DefinitionVersion, field: string): FieldError[] {
  const known = new Set<string>();
  const errors = selectableFields.flatMap(({ jsonPath }, index) => {
    const own = `${field}[${index}].jsonPath`;
    if (jsonPath === "") return [required(own)];
    const fields = fieldsOfPath(jsonPath);
    const found = fields.reduce<Schema | undefined>(
      (part, name) => part && propertySchema(part, name),
      schema?.openAPIV3Schema,
    );
    if (!jsonPath.startsWith(".") || found === undefined) {
      return [invalidValue(own, jsonPath, "is an invalid path: does not refer to a valid field")];
    }
    const isRepeated = known.has(jsonPath);
    known.add(jsonPath);
    const isScalar = ["string", "boolean", "integer"].includes(found.type ?? "");
    const scalar =
      "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
    return [
      ...(fields[0] === "metadata" ? [invalidValue(own, jsonPath, "must not point to fields in metadata")] : []),
      ...(isScalar ? [] : [invalidValue(own, jsonPath, scalar)]),
      ...(isRepeated ? [duplicate(own, jsonPath)] : []),
    ];
  });
  return [...errors, ...(known.size > maxSelectableFields ? [tooMany(field, known.size, maxSelectableFields)] : [])];
}
