import { goQuoted } from "../../../values/go-quoted.ts";

/** An error of one field, with Kubernetes' message. */
export interface FieldError {
  readonly reason: string;
  readonly message: string;
  /** Path such as `spec.containers[0].name`. */
  readonly field: string;
}

export function required(field: string, detail = ""): FieldError {
  return {
    reason: "FieldValueRequired",
    message: detail === "" ? "Required value" : `Required value: ${detail}`,
    field,
  };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  const tail = detail === "" ? "" : `: ${detail}`;
  return { reason: "FieldValueInvalid", message: `Invalid value: ${shown(value)}${tail}`, field };
}

/** Error of a part of an object that the message does not show. */
export function invalidPart(field: string, detail: string): FieldError {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${detail}`, field };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((item) => goQuoted(item)).join(", ");
  const known = supported.length === 0 ? "" : `: supported values: ${values}`;
  return { reason: "FieldValueNotSupported", message: `Unsupported value: ${shown(value)}${known}`, field };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${shown(value)}`, field };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${detail}`, field };
}

export function missingReference(field: string, value: unknown): FieldError {
  return { reason: "FieldValueNotFound", message: `Not found: ${shown(value)}`, field };
}

export function tooLong(field: string, limitBytes: number): FieldError {
  return {
    reason: "FieldValueTooLong",
    message: `Too long: may not be more than ${limitBytes} ${limitBytes === 1 ? "byte" : "bytes"}`,
    field,
  };
}

export function tooMany(field: string, count: number, limit: number): FieldError {
  const items = limit === 1 ? "item" : "items";
  return { reason: "FieldValueTooMany", message: `Too many: ${count}: must have at most ${limit} ${items}`, field };
}

function shown(value: unknown): string {
  if (typeof value === "string") return goQuoted(value);
  return JSON.stringify(value) ?? "null";
}
