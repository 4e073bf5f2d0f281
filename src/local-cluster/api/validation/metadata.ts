import type { OwnerReference } from "../../../kube/types.ts";
import type { Draft, Meta } from "../object.ts";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "./field-error.ts";
import { labelValue, type NameRule, qualifiedName, subdomain } from "./names.ts";

const annotationsLimitBytes = 256 * 1024;

/** Finalizers that need no prefix. */
const standardFinalizers: readonly string[] = ["kubernetes", "orphan", "foregroundDeletion"];

/** Rules of a kind's metadata. */
interface MetadataRules {
  /** @default RFC 1123 subdomain */
  readonly name?: NameRule;
  /** Whether finalizers may have no prefix. @default false */
  readonly acceptsAnyFinalizer?: boolean;
}

/** Returns the errors of the metadata of an object, whatever its kind. */
export function validateMetadata(
  object: Draft,
  { name: rule = subdomain, acceptsAnyFinalizer = false }: MetadataRules,
): FieldError[] {
  const { metadata } = object;
  const { generateName = "", name = "", generation = 0 } = metadata;
  return [
    // A prefix may end with a dash, because the generated name does not.
    ...(generateName === ""
      ? []
      : rule(generateName.replace(/-$/, "a")).map((fault) =>
          invalidValue("metadata.generateName", generateName, fault),
        )),
    ...(name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : rule(name).map((fault) => invalidValue("metadata.name", name, fault))),
    ...(generation < 0 ? [invalidValue("metadata.generation", generation, "must be greater than or equal to 0")] : []),
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...validateFinalizers(metadata.finalizers ?? []),
    ...(acceptsAnyFinalizer ? [] : standardFinalizerErrors(metadata.finalizers ?? [])),
  ];
}

/** Returns the errors of labels or of a selector's labels. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((fault) => invalidValue(field, key, fault)),
    ...labelValue(value).map((fault) => invalidValue(field, value, fault)),
  ]);
}

function validateAnnotations(annotations: Meta["annotations"]): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) =>
      qualifiedName(key.toLowerCase()).map((fault) => invalidValue("metadata.annotations", key, fault)),
    ),
    ...(bytes > annotationsLimitBytes ? [tooLong("metadata.annotations", annotationsLimitBytes)] : []),
  ];
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const field = "metadata.ownerReferences";
  const errors = owners.flatMap((owner) => [
    ...(owner.apiVersion === "" || owner.apiVersion.split("/").length > 2
      ? [invalidValue(`${field}.apiVersion`, owner.apiVersion, "version must not be empty")]
      : []),
    ...(owner.kind === "" ? [invalidValue(`${field}.kind`, "", "must not be empty")] : []),
    ...(owner.name === "" ? [invalidValue(`${field}.name`, "", "must not be empty")] : []),
    ...(owner.uid === "" ? [invalidValue(`${field}.uid`, "", "must not be empty")] : []),
    ...(owner.apiVersion === "v1" && owner.kind === "Event"
      ? [invalidValue(field, owner, "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ]);
  const [first, second] = owners.filter(({ controller }) => controller === true);
  if (first === undefined || second === undefined) return errors;
  const found = `Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  return [...errors, invalidValue(field, owners, `Only one reference can have Controller set to true. ${found}`)];
}

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = "metadata.finalizers";
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedName(finalizer).map((fault) => invalidValue(field, finalizer, fault)),
  );
  const both = finalizers.includes("orphan") && finalizers.includes("foregroundDeletion");
  return both
    ? [...errors, invalidValue(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")]
    : errors;
}

/** Whether a finalizer needs no prefix. */
export function isStandardFinalizer(finalizer: string): boolean {
  return standardFinalizers.includes(finalizer);
}

/** Returns the errors of finalizers that are neither standard nor have a prefix. */
export function standardFinalizerErrors(
  finalizers: readonly string[],
  fieldAt = (index: number) => `metadata.finalizers[${index}]`,
): FieldError[] {
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes("/") || isStandardFinalizer(finalizer)) return [];
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalidValue(fieldAt(index), finalizer, text)];
  });
}

/**
 * Returns the errors of an update of metadata, for all kinds.
 *
 * Kubernetes checks some fields twice, for all kinds and for the kind, and repeats these errors; so does this function.
 */
export function validateMetadataUpdate(
  object: Draft,
  old: Draft,
  { acceptsAnyFinalizer = false }: MetadataRules,
): FieldError[] {
  const { labels, ownerReferences = [], finalizers = [], annotations } = object.metadata;
  const errors = updateErrors(object, old);
  return [
    ...validateLabels(labels, "metadata.labels"),
    ...validateAnnotations(annotations),
    ...validateOwners(ownerReferences),
    ...validateFinalizers(finalizers),
    ...errors,
    ...errors,
    ...(acceptsAnyFinalizer ? [] : standardFinalizerErrors(finalizers)),
  ];
}

function updateErrors({ metadata: next }: Draft, { metadata: last }: Draft): FieldError[] {
  const immutable = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const;
  const known = new Set(last.finalizers);
  const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  const finalizerText = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [
    ...(last.deletionTimestamp === undefined || added.length === 0
      ? []
      : [forbiddenField("metadata.finalizers", finalizerText)]),
    ...immutable.flatMap((field) =>
      next[field] === last[field] ? [] : [invalidValue(`metadata.${field}`, next[field] ?? null, "field is immutable")],
    ),
    ...(next.deletionGracePeriodSeconds === last.deletionGracePeriodSeconds
      ? []
      : [
          invalidValue(
            "metadata.deletionGracePeriodSeconds",
            next.deletionGracePeriodSeconds ?? null,
            "field is immutable",
          ),
        ]),
    ...validateLabels(next.labels, "metadata.labels"),
    ...validateAnnotations(next.annotations),
    ...validateOwners(next.ownerReferences ?? []),
  ];
}
