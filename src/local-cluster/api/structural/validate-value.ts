import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject, isSame, type JsonObject } from "../json.ts";
import { type FieldError, invalidValue, notSupported, required, tooLong, tooMany } from "../validation/field-error.ts";
import { isFormatted, knownFormat } from "./formats.ts";
import { isMatch } from "./patterns.ts";
import { propertySchema, type Schema, valueSchema } from "./schema.ts";

/*
 * Validation of a custom resource by its schema, with the messages of kube-openapi.
 *
 * Source: kube-openapi 589584f1c912, pkg/validation/validate; apiextensions-apiserver 1.35, pkg/apiserver/validation.
 */

/** The result of validating a value. */
interface Result {
  readonly errors: FieldError[];
  /** Number of checks. Of failed alternatives, the one with the most checks explains the failure. */
  checks: number;
}

/** A value with its location in an object. */
interface Location {
  /** Path from the validated value, e.g. `spec.ports[0]`; empty for the value itself. */
  readonly path: string;
  /** Path of the validated value in the object, e.g. `status`; empty for the object. */
  readonly root: string;
  /** The value before an update. Unchanged values are not validated again. `undefined` for new values. */
  readonly old: unknown;
}

/**
 * Returns the errors of a value.
 *
 * @param old the value before an update; errors of unchanged parts are not reported
 * @param root path of the value in the object
 */
export function validateValue(
  schema: Schema,
  value: unknown,
  { old, root = "" }: { old?: unknown; root?: string } = {},
) {
  return check(schema, value, { path: "", root, old }).errors;
}

function check(schema: Schema, value: unknown, location: Location): Result {
  const result: Result = { errors: [], checks: 0 };
  if (location.old !== undefined && isSame(location.old, value)) return result;
  checkType(schema, value, location, result);
  if (value === null) {
    checkEnum(schema, value, location, result);
    return result;
  }
  checkAlternatives(schema, value, location, result);
  if (typeof value === "string") checkText(schema, value, location, result);
  if (typeof value === "number") checkNumber(schema, value, location, result);
  if (isArray(value)) checkItems(schema, value, location, result);
  checkEnum(schema, value, location, result);
  if (isObject(value)) checkFields(schema, value, location, result);
  result.checks += 1;
  return result;
}

function add(result: Result, error: FieldError | undefined): void {
  result.checks += 1;
  if (error !== undefined) result.errors.push(error);
}

function merge(result: Result, inner: Result): void {
  result.errors.push(...inner.errors);
  result.checks += inner.checks;
}

function fieldOf({ root, path }: Location): string {
  const own = path.replace(/^\./, "");
  return root === "" ? own : own === "" ? root : `${root}.${own}`;
}

/** Builds the error of a value with the text of kube-openapi. */
function invalid(location: Location, value: unknown, text: string): FieldError {
  return invalidValue(fieldOf(location), value, `${location.path} in body ${text}`);
}

function typeError(location: Location, expected: string, found: string): FieldError {
  const text = `must be of type ${expected}: ${JSON.stringify(found)}`;
  return { ...invalid(location, found, text), reason: "FieldValueTypeInvalid" };
}

/** Builds the error of a value whose alternatives failed. Kubernetes prints no field there. */
function compositeError({ root, path }: Location, text: string): FieldError {
  return invalidValue(root === "" ? "<nil>" : root, "", `${JSON.stringify(path)} ${text}`);
}

function typesOf({ type, "x-kubernetes-int-or-string": isIntOrString }: Schema): readonly string[] {
  if (isIntOrString === true) return ["integer", "string"];
  return type === undefined ? [] : [type];
}

function jsonType(value: unknown): string {
  if (isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkType(schema: Schema, value: unknown, location: Location, result: Result): void {
  const types = typesOf(schema);
  const format = knownFormat(schema.format);
  if (types.length === 0 && format === undefined) return;
  if (value === null) {
    const isValid = types.length === 0 || types.includes("null") || schema.nullable === true;
    if (!isValid) result.errors.push(typeError(location, types.join(","), "null"));
    return;
  }
  const found = jsonType(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const isText = format !== undefined && !isNumeric && (found === "string" || found === "array");
  if (isText || types.includes(found) || (found === "integer" && types.includes("number"))) {
    result.checks += 1;
    return;
  }
  if (format !== undefined) {
    const own = found === "integer" ? "int64" : found === "number" ? "double" : "";
    result.errors.push(typeError(location, format, own));
  } else result.errors.push(typeError(location, types.join(","), found));
}

function checkEnum({ enum: values }: Schema, value: unknown, location: Location, result: Result): void {
  if (values === undefined || values.length === 0) return;
  const isKnown = values.some((known) => isSame(known, value));
  const texts = values.map((known) => (typeof known === "string" ? known : JSON.stringify(known)));
  add(result, isKnown ? undefined : notSupported(fieldOf(location), value, texts));
}

function checkText(schema: Schema, value: string, location: Location, result: Result): void {
  add(result, textError(schema, value, location));
  const format = knownFormat(schema.format);
  if (format === undefined) return;
  const fault = isFormatted(format, value) ? undefined : typeError(location, schema.format ?? "", value);
  add(result, fault);
}

function textError(schema: Schema, value: string, location: Location): FieldError | undefined {
  const { maxLength, minLength, pattern } = schema;
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) return tooLong(fieldOf(location), maxLength);
  if (minLength !== undefined && length < minLength) {
    return invalid(location, value, `should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined && pattern !== "" && !isMatch(schema, value)) {
    return invalid(location, value, `should match '${pattern}'`);
  }
  return undefined;
}

function checkNumber(schema: Schema, value: number, location: Location, result: Result): void {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = schema;
  result.checks += 1;
  const report = (text: string) => result.errors.push(invalid(location, value, text));
  if (multipleOf !== undefined) {
    const quotient = multipleOf < 1 ? (1 / multipleOf) * value : value / multipleOf;
    if (!isNearInteger(quotient)) report(`should be a multiple of ${multipleOf}`);
  }
  if (maximum !== undefined && (value > maximum || (exclusiveMaximum === true && value === maximum))) {
    report(`should be less than ${exclusiveMaximum === true ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (value < minimum || (exclusiveMinimum === true && value === minimum))) {
    report(`should be greater than ${exclusiveMinimum === true ? "" : "or equal to "}${minimum}`);
  }
}

function isNearInteger(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-9;
}

function checkItems(schema: Schema, value: readonly unknown[], location: Location, result: Result): void {
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    const oldItem = correlation(schema, location.old);
    for (const [index, item] of value.entries()) {
      merge(result, check(items, item, { ...location, path: `${location.path}[${index}]`, old: oldItem(item) }));
    }
  }
  const { length } = value;
  result.checks += 1;
  if (minItems !== undefined && length < minItems) {
    result.errors.push(invalid(location, length, `should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && length > maxItems) result.errors.push(tooMany(fieldOf(location), length, maxItems));
}

/** Returns a function that finds the item with the same keys in the old value of a list of type map. */
function correlation(schema: Schema, old: unknown): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !isArray(old)) return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const keyOf = (item: unknown) => (isObject(item) ? JSON.stringify(keys.map((key) => item[key] ?? null)) : undefined);
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => known.get(keyOf(item));
}

function checkFields(schema: Schema, value: JsonObject, location: Location, result: Result): void {
  const { minProperties, maxProperties, additionalProperties, required: names = [] } = schema;
  const fields = Object.keys(value);
  if (minProperties !== undefined && fields.length < minProperties) {
    result.errors.push(invalid(location, fields.length, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && fields.length > maxProperties) {
    result.errors.push(tooMany(fieldOf(location), fields.length, maxProperties));
  }
  const old = isObject(location.old) ? location.old : undefined;
  const inner = (name: string, path: string): Location => ({
    ...location,
    path,
    old: old === undefined ? undefined : ownMember(old, name),
  });
  for (const name of fields) {
    const content = ownMember(value, name);
    const property = propertySchema(schema, name);
    const values = valueSchema(schema);
    if (property !== undefined) {
      const path = location.path === "" ? name : `${location.path}.${name}`;
      merge(result, check(property, content, inner(name, path)));
    } else if (additionalProperties === false) {
      const text = `${location.path}.${name} in body is a forbidden property`;
      result.errors.push(invalidValue(fieldOf(location), name, text));
    } else if (values !== undefined) {
      merge(result, check(values, content, inner(name, `${location.path}.${name}`)));
    }
  }
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    result.errors.push(required(fieldOf({ ...location, path: `${location.path}.${name}` })));
  }
  result.checks += 1;
}

function checkAlternatives(schema: Schema, value: unknown, location: Location, result: Result): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  if (anyOf.length > 0) checkAnyOf(anyOf, value, location, result);
  if (oneOf.length > 0) checkOneOf(oneOf, value, location, result);
  if (allOf.length > 0) {
    const all = allOf.map((part) => check(part, value, location));
    for (const part of all) merge(result, part);
    const valid = all.filter(isValid).length;
    if (valid < all.length) {
      result.errors.push(
        compositeError(location, `must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`),
      );
    }
  }
  if (not !== undefined && isValid(check(not, value, location))) {
    result.errors.push(compositeError(location, "must not validate the schema (not)"));
  }
  result.checks += 1;
}

function isValid({ errors }: Result): boolean {
  return errors.length === 0;
}

/** Returns the failed alternative with the most checks. */
function bestFailure(failures: readonly Result[]): Result | undefined {
  return failures.reduce<Result | undefined>(
    (best, next) => (best === undefined || next.checks > best.checks ? next : best),
    undefined,
  );
}

function checkAnyOf(anyOf: readonly Schema[], value: unknown, location: Location, result: Result): void {
  const failures: Result[] = [];
  for (const part of anyOf) {
    const found = check(part, value, location);
    if (isValid(found)) {
      merge(result, found);
      return;
    }
    failures.push(found);
  }
  result.errors.push(compositeError(location, "must validate at least one schema (anyOf)"));
  const best = bestFailure(failures);
  if (best !== undefined) merge(result, best);
}

function checkOneOf(oneOf: readonly Schema[], value: unknown, location: Location, result: Result): void {
  const all = oneOf.map((part) => check(part, value, location));
  const valid = all.filter(isValid);
  const [only] = valid;
  if (valid.length === 1 && only !== undefined) {
    merge(result, only);
    return;
  }
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  result.errors.push(compositeError(location, `must validate one and only one schema (oneOf). ${found}`));
  const best = valid.length === 0 ? bestFailure(all) : undefined;
  if (best !== undefined) merge(result, best);
}
