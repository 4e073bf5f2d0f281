import type { JsonObject } from "../json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import { kinds as known } from "../kinds/table.ts";
import { type Field, type FieldType, type StructType, structType } from "../schema/schema.ts";
import type { ServedKinds } from "../served-kinds.ts";
import { customSchema, customSchemaName, typeFields } from "./custom-schema.ts";
import { metadataDescriptions } from "./metadata-descriptions.ts";

/** An API group and one of its versions. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Builds the response of `GET /openapi/v3`: the URLs of the documents of all groups. */
export function openApiIndex(kinds: ServedKinds): JsonObject {
  const groups = kinds.groups().flatMap((group) => kinds.versionsOf(group).map((version) => `${group}/${version}`));
  const paths = ["api/v1", ...groups.map((path) => `apis/${path}`)];
  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(kinds, path)}` }]),
    ),
  };
}

/** Returns a text that changes with a document: clients keep documents by their URL. */
function hashOf(kinds: ServedKinds, path: string): string {
  const found = groupVersionOfDocument(kinds, path);
  const own = kinds.all().filter(({ group, version }) => group === found?.group && version === found?.version);
  return ["firesteel-1", ...own.flatMap(({ custom }) => custom?.revision ?? [])].join("-");
}

/**
 * Builds an OpenAPI document such as `GET /openapi/v3/api/v1`. With it, kubectl delegates validation to the server and explains
 * fields. Only metadata and custom resources have descriptions.
 */
export function openApiDocument(kinds: ServedKinds, { group, version }: GroupVersion): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const served = kinds.all().filter((kind) => kind.group === group && kind.version === version);
  for (const kind of served) addKindSchema(kind, schemas);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.35" },
    paths: Object.fromEntries(served.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

function pathsOf(kind: Kind): [string, JsonObject][] {
  const root = kind.group === "" ? "/api/v1" : `/apis/${apiVersionOf(kind)}`;
  const path = `${root}${kind.namespaced ? "/namespaces/{namespace}" : ""}/${kind.plural}`;
  const gvk = { group: kind.group, kind: kind.kind, version: kind.version };
  const parameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => parameter(name, "query"));
  const operation = (action: string, media: readonly string[]) => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
    parameters,
    requestBody: {
      content: Object.fromEntries(media.map((type) => [type, { schema: kindReference(kind) }])),
    },
    responses: {
      200: { description: "OK", content: { "application/json": { schema: kindReference(kind) } } },
    },
  });
  const strategic = kind.custom === undefined ? ["strategic-merge-patch+json"] : [];
  const patches = ["json-patch+json", "merge-patch+json", ...strategic, "apply-patch+yaml"];
  const create: [string, JsonObject] = [path, { post: operation("post", ["application/json"]) }];
  if (!kind.verbs.includes("patch")) return [create];
  const item = {
    parameters: [parameter("name", "path"), ...(kind.namespaced ? [parameter("namespace", "path")] : [])],
    put: operation("put", ["application/json"]),
    patch: operation(
      "patch",
      patches.map((type) => `application/${type}`),
    ),
  };
  return [create, [`${path}/{name}`, item]];
}

function parameter(name: string, location: "path" | "query"): JsonObject {
  return {
    name,
    in: location,
    schema: { type: "string" },
    ...(location === "path" ? { required: true } : {}),
  };
}

/** Returns the name of a type in OpenAPI documents, e.g. `io.k8s.api.core.v1.Pod`. */
function schemaName({ name }: StructType): string {
  const [section = "", type] = name.split(".");
  if (section === "meta") return `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`;
  const [, group, version = "v1"] = /^(.*?)(v\d+)?$/.exec(section) ?? [];
  return `io.k8s.api.${group}.${version}.${type}`;
}

function reference(type: StructType): JsonObject {
  return { $ref: `#/components/schemas/${schemaName(type)}` };
}

function kindReference(kind: Kind): JsonObject {
  if (kind.custom === undefined) return reference(kind.type);
  return { $ref: `#/components/schemas/${customSchemaName(kind)}` };
}

function addKindSchema(kind: Kind, schemas: Map<string, JsonObject>): void {
  if (kind.custom === undefined) {
    addSchema(kind.type, schemas);
    return;
  }
  addSchema(structType("meta.ObjectMeta"), schemas);
  schemas.set(customSchemaName(kind), customSchema(kind, kind.custom.schema));
}

function addSchema(type: StructType, schemas: Map<string, JsonObject>): void {
  const kind = known.find((candidate) => candidate.type === type);
  const name = schemaName(type);
  if (schemas.has(name)) return;
  schemas.set(name, {});
  const properties = Object.fromEntries(
    [...type.fields.values()].map((field) => {
      const description = type.name === "meta.ObjectMeta" ? metadataDescriptions[field.name] : undefined;
      return [field.name, { ...fieldSchema(field, schemas), ...(description === undefined ? {} : { description }) }];
    }),
  );
  const own: JsonObject =
    kind === undefined
      ? {}
      : {
          "x-kubernetes-group-version-kind": [{ group: kind.group, kind: kind.kind, version: kind.version }],
        };
  const typeMeta = kind === undefined ? {} : typeFields;
  const required = [...type.fields.values()]
    .filter((field) => field.always && !optional.has(`${type.name}.${field.name}`))
    .map((field) => field.name);
  schemas.set(name, {
    type: "object",
    properties: { ...typeMeta, ...properties },
    ...(required.length === 0 ? {} : { required: required.sort() }),
    ...own,
  });
}

function fieldSchema({ type, mergeKey, merging }: Field, schemas: Map<string, JsonObject>): JsonObject {
  const list = Array.isArray(merging) ? { "x-kubernetes-list-map-keys": merging, "x-kubernetes-list-type": "map" } : {};
  const merge =
    mergeKey === undefined
      ? {}
      : {
          "x-kubernetes-patch-strategy": "merge",
          ...(mergeKey === "" ? {} : { "x-kubernetes-patch-merge-key": mergeKey }),
        };
  return { ...typeSchema(type, schemas), ...list, ...merge };
}

function typeSchema(type: FieldType, schemas: Map<string, JsonObject>): JsonObject {
  switch (type.kind) {
    case "struct":
      addSchema(type, schemas);
      return { allOf: [reference(type)] };
    case "list":
      return { type: "array", items: typeSchema(type.item, schemas) };
    case "map":
      return { type: "object", additionalProperties: typeSchema(type.value, schemas) };
    case "boolean":
      return { type: "boolean" };
    case "int32":
    case "int64":
      return { type: "integer", format: type.kind };
    case "bytes":
      return { type: "string", format: "byte" };
    case "time":
    case "microTime":
    case "quantity":
    case "intOrString":
      return namedScalar(type.kind, schemas);
    case "any":
    case "jsonSchema":
      return { type: "object" };
    default:
      return { type: "string" };
  }
}

/** Fields that are always written although they are optional. */
const optional = new Set([
  "apps.StatefulSetOrdinals.start",
  "apps.StatefulSetSpec.serviceName",
  "apps.StatefulSetStatus.availableReplicas",
  "batch.PodFailurePolicyOnPodConditionsPattern.status",
  "core.AzureFilePersistentVolumeSource.secretNamespace",
  "core.ContainerImage.names",
  "core.Event.reportingComponent",
  "core.Event.reportingInstance",
  "core.GRPCAction.service",
  "core.NodeRuntimeHandler.name",
  "core.ProjectedVolumeSource.sources",
  "core.TypedLocalObjectReference.apiGroup",
  "core.TypedObjectReference.apiGroup",
  "discovery.EndpointSlice.ports",
  "networking.NetworkPolicySpec.podSelector",
  "rbac.ClusterRole.rules",
  "rbac.Role.rules",
]);

/** Scalars with a schema of their own, which `kubectl explain` shows. */
const namedScalars = {
  time: ["apimachinery.pkg.apis.meta.v1.Time", { type: "string", format: "date-time" }],
  microTime: ["apimachinery.pkg.apis.meta.v1.MicroTime", { type: "string", format: "date-time" }],
  quantity: ["apimachinery.pkg.api.resource.Quantity", { oneOf: [{ type: "string" }, { type: "number" }] }],
  intOrString: [
    "apimachinery.pkg.util.intstr.IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  ],
} as const;

function namedScalar(kind: keyof typeof namedScalars, schemas: Map<string, JsonObject>): JsonObject {
  const [path, schema] = namedScalars[kind];
  schemas.set(`io.k8s.${path}`, schema);
  return { allOf: [{ $ref: `#/components/schemas/io.k8s.${path}` }] };
}

/** Parses a document's path, `api/v1` or `apis/<group>/<version>`; `undefined` if the version is not served. */
export function groupVersionOfDocument(kinds: ServedKinds, path: string): GroupVersion | undefined {
  if (path === "api/v1") return { group: "", version: "v1" };
  const [, group = "", version = ""] = /^apis\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return kinds.versionsOf(group).includes(version) ? { group, version } : undefined;
}
