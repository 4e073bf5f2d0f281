import type { CustomResourceDefinitionNames } from "kubernetes-types/apiextensions/v1.d.ts";
import { isSame } from "../json.ts";
import { defaultErrors } from "../structural/default-errors.ts";
import { schemaErrors } from "../structural/schema-errors.ts";
import { structuralErrors } from "../structural/structural-errors.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../validation/field-error.ts";
import { dns1035Label, subdomain } from "../validation/names.ts";
import { reviewVersionErrors, webhookAddressErrors } from "../validation/webhooks.ts";
import { type Definition, type DefinitionVersion, hasCondition } from "./definition.ts";
import { columnErrors, deprecationErrors, rootErrors, selectableErrors, subresourceErrors } from "./version-errors.ts";

/*
 * Validation of custom resource definitions.
 *
 * Source: apiextensions-apiserver 1.35, pkg/apis/apiextensions/validation.
 */

/** Returns the errors of a new definition. */
export function definitionErrors(definition: Definition): FieldError[] {
  const { metadata, spec } = definition;
  const isNamed = metadata.name === `${spec.names.plural}.${spec.group}`;
  return [
    ...(isNamed
      ? []
      : [invalidValue("metadata.name", metadata.name ?? "", 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(definition),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition),
  ];
}

/** Returns the errors of a changed definition. */
export function definitionUpdateErrors(definition: Definition, old: Definition): FieldError[] {
  const { spec } = definition;
  const isEstablished = hasCondition(old, "Established");
  const fixed = (field: string, value: unknown, last: unknown) =>
    value === last ? [] : [invalidValue(field, value, "field is immutable")];
  return [
    ...specErrors(definition),
    ...(isEstablished
      ? [
          ...fixed("spec.scope", spec.scope, old.spec.scope),
          ...fixed("spec.names.kind", spec.names.kind, old.spec.names.kind),
        ]
      : []),
    ...fixed("spec.group", spec.group, old.spec.group),
    ...fixed("spec.names.plural", spec.names.plural, old.spec.names.plural),
    ...storedVersionErrors(definition),
    ...(isSame(approvalErrors(definition), approvalErrors(old)) ? [] : approvalErrors(definition)),
  ];
}

function specErrors({ spec }: Definition): FieldError[] {
  const { versions, names, conversion, preserveUnknownFields } = spec;
  const storages = versions.filter(({ storage }) => storage).length;
  const versionNames = versions.map(({ name }) => name);
  return [
    ...groupErrors(spec.group),
    ...enumErrors("spec.scope", spec.scope, ["Cluster", "Namespaced"]),
    ...versions.flatMap(({ schema }, index) =>
      schema?.openAPIV3Schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...versionNames.flatMap((name, index) => labelErrors(`spec.versions[${index}].name`, name)),
    ...versionErrors(versions),
    ...(new Set(versionNames).size === versionNames.length
      ? []
      : [invalidValue("spec.versions", versions, "must contain unique version names")]),
    ...(storages === 1
      ? []
      : [invalidValue("spec.versions", versions, "must have exactly one version marked as storage version")]),
    ...(["plural", "singular", "kind", "listKind"] as const).flatMap((name) =>
      (names[name] ?? "") === "" ? [required(`spec.names.${name}`)] : [],
    ),
    ...nameErrors("spec.names", names),
    ...conversionErrors(conversion),
    ...(preserveUnknownFields === true
      ? [
          invalidValue(
            "spec.preserveUnknownFields",
            true,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
          ),
        ]
      : []),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  const faults = subdomain(group);
  if (faults.length > 0) return [invalidValue("spec.group", group, faults.join(","))];
  return group.includes(".") ? [] : [invalidValue("spec.group", group, "should be a domain with at least one dot")];
}

function enumErrors(field: string, value: string, supported: readonly string[]): FieldError[] {
  if (value === "") return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function labelErrors(field: string, value: string, prefix = ""): FieldError[] {
  const faults = dns1035Label(prefix === "" ? value : value.toLowerCase());
  return faults.length === 0 ? [] : [invalidValue(field, value, `${prefix}${faults.join(",")}`)];
}

/** Returns the errors of the names in a spec or status. */
export function nameErrors(field: string, names: CustomResourceDefinitionNames): FieldError[] {
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const mixed = "may have mixed case, but should otherwise match: ";
  return [
    ...(plural === "" ? [] : labelErrors(`${field}.plural`, plural)),
    ...(singular === "" ? [] : labelErrors(`${field}.singular`, singular)),
    ...(kind === "" ? [] : labelErrors(`${field}.kind`, kind, mixed)),
    ...(listKind === "" ? [] : labelErrors(`${field}.listKind`, listKind, mixed)),
    ...shortNames.flatMap((name, index) => labelErrors(`${field}.shortNames[${index}]`, name)),
    ...(kind !== "" && kind === listKind
      ? [invalidValue(`${field}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, index) => labelErrors(`${field}.categories[${index}]`, name)),
  ];
}

/**
 * Returns the errors of what versions contain. Kubernetes reports the errors of parts that all versions have in common once, in
 * fields that the versions of an older API had.
 */
function versionErrors(versions: readonly DefinitionVersion[]): FieldError[] {
  const [first] = versions;
  const isShared = (read: (version: DefinitionVersion) => unknown) =>
    first !== undefined && versions.every((version) => isSame(read(version), read(first)));
  const hasOneSchema = isShared(({ schema }) => schema);
  const hasOneScale = isShared(({ subresources }) => subresources);
  const hasOneTable = isShared(({ additionalPrinterColumns }) => additionalPrinterColumns);
  const shared = first === undefined ? [] : [first];
  const own = versions.flatMap((version, index) => {
    const field = `spec.versions[${index}]`;
    return [
      ...deprecationErrors(version, `${field}.deprecationWarning`),
      ...(hasOneSchema ? [] : ownSchemaErrors(version, `${field}.schema`)),
      ...(hasOneScale ? [] : subresourceErrors(version, `${field}.subresources`)),
      ...(hasOneTable ? [] : columnErrors(version, `${field}.additionalPrinterColumns`)),
      ...selectableErrors(version, `${field}.selectableFields`),
    ];
  });
  return [
    ...own,
    ...(hasOneSchema ? shared.flatMap((version) => ownSchemaErrors(version, "spec.validation")) : []),
    ...(hasOneScale ? shared.flatMap((version) => subresourceErrors(version, "spec.subresources")) : []),
    ...(hasOneTable ? shared.flatMap((version) => columnErrors(version, "spec.additionalPrinterColumns")) : []),
  ];
}

function ownSchemaErrors(version: DefinitionVersion, field: string): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) return [];
  const path = `${field}.openAPIV3Schema`;
  const structural = structuralErrors(schema, path);
  return [
    ...rootErrors(version, schema, path),
    ...(structural.length > 0 ? structural : defaultErrors(schema, path)),
    ...schemaErrors(schema, path),
  ];
}

function conversionErrors(conversion: Definition["spec"]["conversion"]): FieldError[] {
  if (conversion === undefined) return [];
  const field = "spec.conversion";
  // Kubernetes names the fields as in an earlier version.
  const [clientField, versionsField] = [`${field}.webhookClientConfig`, `${field}.conversionReviewVersions`];
  const { strategy, webhook: { clientConfig, conversionReviewVersions: versions = [] } = {} } = conversion;
  if (strategy === "Webhook") {
    return [
      ...(clientConfig === undefined
        ? [required(clientField, "required when strategy is set to Webhook")]
        : webhookAddressErrors(clientConfig, clientField)),
      ...reviewVersionErrors(versions, versionsField),
    ];
  }
  const text = "should not be set when strategy is not set to Webhook";
  return [
    ...enumErrors(`${field}.strategy`, strategy, ["None", "Webhook"]),
    ...(clientConfig === undefined ? [] : [forbiddenField(clientField, text)]),
    ...(versions.length === 0 ? [] : [forbiddenField(versionsField, text)]),
  ];
}

function storedVersionErrors({ spec, status }: Definition): FieldError[] {
  const field = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  const storage = spec.versions.find((version) => version.storage)?.name;
  if (stored.length === 0) return [invalidValue(field, stored, "must have at least one stored version")];
  return [
    ...(storage === undefined || stored.includes(storage)
      ? []
      : [invalidValue(field, stored, `must have the storage version ${storage}`)]),
    ...stored.flatMap((name, index) => {
      if (spec.versions.some((version) => version.name === name)) return [];
      const text =
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage ` +
        `migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalidValue(`${field}[${index}]`, name, text)];
    }),
  ];
}

const approval = "api-approved.kubernetes.io";

/** Returns the errors of a definition in a group of Kubernetes, which must be approved. */
function approvalErrors({ spec, metadata }: Definition): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return [];
  const value = metadata.annotations?.[approval] ?? "";
  const field = `metadata.annotations[${approval}]`;
  const start = `protected groups must have approval annotation ${JSON.stringify(approval)}`;
  const end = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (value === "") return [required(field, `${start}, ${end}`)];
  if (value.startsWith("unapproved") || /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(value)) return [];
  return [invalidValue(field, value, `${start} with either a URL or a reason starting with "unapproved", ${end}`)];
}
