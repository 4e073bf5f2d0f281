import type { DefinitionVersion } from "../definitions/definition.ts";
import { compilePath, valueAt } from "../json-path.ts";
import type { ScalePaths } from "../kinds/custom-format.ts";
import type { Rules } from "../kinds/rules.ts";
import type { Draft } from "../object.ts";
import { forbidden } from "../status.ts";
import { embeddedErrors } from "../structural/embedded-errors.ts";
import { listTypeErrors } from "../structural/list-types.ts";
import { propertySchema, type Schema } from "../structural/schema.ts";
import { validateValue } from "../structural/validate-value.ts";
import type { FieldError } from "../validation/field-error.ts";
import { invalidValue } from "../validation/field-error.ts";
import { isStandardFinalizer } from "../validation/metadata.ts";
import { qualifiedName } from "../validation/names.ts";

/** Inputs of the rules of a custom resource. */
interface CustomRuleOptions {
  readonly version: DefinitionVersion;
  readonly schema: Schema;
  readonly scale: ScalePaths | undefined;
  readonly resource: { readonly group: string; readonly kind: string; readonly plural: string };
  /** Whether the definition is being deleted. */
  readonly isTerminating: boolean;
}

/** Returns the rules of a custom resource. Source: apiextensions-apiserver 1.35, pkg/registry/customresource. */
export function customRules(options: CustomRuleOptions): Rules {
  const { version, schema, scale, resource, isTerminating } = options;
  const hasStatus = version.subresources?.status !== undefined;
  return {
    ...{ hasStatus, generation: "content", needsRevision: true, acceptsAnyFinalizer: true },
    prepare(object) {
      if (isTerminating) {
        const text = "create not allowed while custom resource definition is terminating";
        throw forbidden(resource, object.metadata.name ?? "", text);
      }
      if (hasStatus) delete object["status"];
    },
    prepareUpdate: dropAbsentStatus,
    prepareStatus(object, old) {
      const { managedFields } = object.metadata;
      const { managedFields: _, ...metadata } = old.metadata;
      object.metadata = managedFields === undefined ? metadata : { ...metadata, managedFields };
      dropAbsentStatus(object);
    },
    validate: (object) => [...objectErrors(options, object, undefined), ...listTypeErrors(schema, object)],
    validateUpdate: (object, old) => [...objectErrors(options, object, old), ...newListErrors(schema, object, old)],
    validateStatus: (object, old) => [
      ...statusErrors(schema, object, old),
      ...statusReplicasErrors(scale, object),
      ...newListErrors(schema, object, old),
    ],
    warn: (object, old) => finalizerWarnings(object, old),
    selectable: Object.fromEntries((version.selectableFields ?? []).map(({ jsonPath }) => selectable(jsonPath))),
    unknownField: (field) => `field label not supported: ${field}`,
  };
}

function dropAbsentStatus(object: Draft): void {
  if (object["status"] === undefined) delete object["status"];
}

function objectErrors({ schema, scale }: CustomRuleOptions, object: Draft, old: Draft | undefined): FieldError[] {
  return [
    ...validateValue(schema, object, { old }),
    ...specReplicasErrors(scale, object),
    ...statusReplicasErrors(scale, object),
    ...embeddedErrors(schema, object),
  ];
}

function statusErrors(schema: Schema, object: Draft, old: Draft): FieldError[] {
  const own = propertySchema(schema, "status");
  if (own === undefined || object["status"] === undefined) return [];
  return validateValue(own, object["status"], { old: old["status"], root: "status" });
}

/** Returns the errors of repeated items unless the object had some before. */
function newListErrors(schema: Schema, object: Draft, old: Draft): FieldError[] {
  const errors = listTypeErrors(schema, object);
  return errors.length > 0 && listTypeErrors(schema, old).length === 0 ? errors : [];
}

const maxReplicas = 2 ** 31 - 1;

function specReplicasErrors(scale: ScalePaths | undefined, object: Draft): FieldError[] {
  return scale === undefined ? [] : replicasErrors(object, scale.specReplicas);
}

function statusReplicasErrors(scale: ScalePaths | undefined, object: Draft): FieldError[] {
  if (scale === undefined) return [];
  const { selector = [] } = scale;
  const text = selector.length === 0 ? undefined : valueAt(object, selector);
  return [
    ...replicasErrors(object, scale.statusReplicas),
    ...(text === undefined || typeof text === "string" ? [] : [accessError(selector, text, "string")]),
  ];
}

function replicasErrors(object: Draft, path: readonly string[]): FieldError[] {
  const value = valueAt(object, path);
  const field = `.${path.join(".")}`;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) return [accessError(path, value, "int64")];
  if (value < 0) return [invalidValue(field, value, "should be a non-negative integer")];
  return value > maxReplicas ? [invalidValue(field, value, `should be less than or equal to ${maxReplicas}`)] : [];
}

function accessError(path: readonly string[], value: unknown, expected: "int64" | "string"): FieldError {
  const field = `.${path.join(".")}`;
  const found = typeof value === "boolean" ? "bool" : typeof value === "number" ? "float64" : typeof value;
  const text = `${field} accessor error: ${String(value)} is of the type ${found}, expected ${expected}`;
  return invalidValue(field, expected === "int64" ? 0 : "", text);
}

/** Returns the warnings about new finalizers without a prefix. */
function finalizerWarnings({ metadata }: Draft, old: Draft | undefined): string[] {
  const known = old?.metadata.finalizers ?? [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.includes(finalizer)).sort();
  return added.flatMap((finalizer) => {
    const start = `metadata.finalizers: ${JSON.stringify(finalizer)}:`;
    const faults = qualifiedName(finalizer).map((fault) => `${start} ${fault}`);
    if (finalizer.includes("/") || isStandardFinalizer(finalizer)) return faults;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    const end = "to avoid accidental conflicts with other finalizer writers";
    return [...faults, `${start} prefer a domain-qualified finalizer name${path} ${end}`];
  });
}

function selectable(path: string): [string, (object: Draft) => string] {
  const read = compilePath(path) ?? (() => []);
  return [path.replace(/^\./, ""), (object) => String(read(object)[0] ?? "")];
}
