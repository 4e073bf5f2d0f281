import { type Definition, type DefinitionVersion, hasCondition } from "../definitions/definition.ts";
import { compareVersions } from "../definitions/versions.ts";
import { fieldsOfPath } from "../json-path.ts";
import type { CustomFormat, ScalePaths } from "../kinds/custom-format.ts";
import type { Kind, Subresource, Verb } from "../kinds/kind.ts";
import type { StructType } from "../schema/schema.ts";
import type { WebhookAddress } from "../webhook.ts";
import { decodeCustom, versionConversion } from "./custom-objects.ts";
import { customRules } from "./custom-rules.ts";

/** The kinds of a custom resource definition, one for each version. */
export interface CustomKinds {
  readonly served: readonly Kind[];
  /** The kind of stored objects, whether or not its version is served. */
  readonly stored: Kind | undefined;
}

/** Verbs of custom resources, in the order of discovery. */
const verbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const writing: readonly Verb[] = ["get", "patch", "update"];

/** Builds the kinds of a definition whose names are accepted. */
export function customKinds(definition: Definition): CustomKinds {
  const { versions } = definition.spec;
  const storage = versions.find((version) => version.storage);
  return {
    served: versions.filter(({ served }) => served).map((version) => customKind(definition, version)),
    stored: storage && customKind(definition, storage),
  };
}

function customKind(definition: Definition, version: DefinitionVersion): Kind {
  const { spec, status } = definition;
  const { kind, plural, singular = "", shortNames = [], categories = [] } = status?.acceptedNames ?? spec.names;
  const isTerminating = hasCondition(definition, "Terminating");
  const format = formatOf(definition, version);
  const { scale, schema } = format;
  const type: StructType = { kind: "struct", name: `custom.${kind}`, atomic: false, fields: new Map() };
  const resource = { group: spec.group, kind, plural };
  const warning = deprecation(definition, version);
  return {
    ...{ ...resource, version: version.name, singular, shortNames, categories, verbs, type },
    namespaced: spec.scope === "Namespaced",
    collection: format.conversion.collection,
    ...(isTerminating ? { listedVerbs: verbs.filter((verb) => !["patch", "create", "update"].includes(verb)) } : {}),
    ...(warning === undefined ? {} : { deprecation: warning }),
    subresources: subresourcesOf(version, { group: spec.group, version: version.name, kind }),
    custom: format,
    rules: customRules({ version, schema, scale, resource, isTerminating }),
  };
}

function formatOf({ spec, status, metadata }: Definition, version: DefinitionVersion): CustomFormat {
  const schemas = new Map(spec.versions.map(({ name, schema }) => [name, schema?.openAPIV3Schema ?? {}]));
  const schema = schemas.get(version.name) ?? {};
  const storage = spec.versions.find((one) => one.storage)?.name ?? version.name;
  const collection = `${spec.names.plural}.${spec.group}`;
  return {
    schema,
    revision: metadata.resourceVersion ?? "",
    listKind: status?.acceptedNames.listKind,
    columns: version.additionalPrinterColumns,
    scale: scalePaths(version),
    decode: (object) => decodeCustom(schema, object),
    conversion: versionConversion(
      { collection, group: spec.group, schemas, storage, webhook: conversionWebhook(spec.conversion) },
      version.name,
    ),
  };
}

function conversionWebhook(conversion: Definition["spec"]["conversion"]): WebhookAddress | undefined {
  return conversion?.strategy === "Webhook" ? conversion.webhook?.clientConfig : undefined;
}

function scalePaths({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const { scale } = subresources ?? {};
  if (scale === undefined) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return {
    specReplicas: fieldsOfPath(specReplicasPath),
    statusReplicas: fieldsOfPath(statusReplicasPath),
    selector: labelSelectorPath === "" ? undefined : fieldsOfPath(labelSelectorPath),
  };
}

function subresourcesOf({ subresources }: DefinitionVersion, own: Subresource["kind"]): readonly Subresource[] {
  const scale = { group: "autoscaling", version: "v1", kind: "Scale" };
  return [
    // An object's own kind is listed without its group, as for the kinds of the table.
    ...(subresources?.status === undefined
      ? []
      : [{ name: "status", verbs: writing, kind: { ...own, group: "", version: "" } }]),
    ...(subresources?.scale === undefined ? [] : [{ name: "scale", verbs: writing, kind: scale }]),
  ];
}

/** Returns the warning of a deprecated version. */
function deprecation({ spec }: Definition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names } = spec;
  const newer = spec.versions
    .filter((other) => other.served && other.deprecated !== true && compareVersions(other.name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return newer[0] === undefined ? text : `${text}; use ${group}/${newer[0]} ${names.kind}`;
}
