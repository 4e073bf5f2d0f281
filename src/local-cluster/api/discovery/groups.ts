import type { JsonObject } from "../json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { ServedKinds } from "../served-kinds.ts";

/** Builds the response of `GET /api`. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** Builds the response of `GET /apis`. */
export function groupList(kinds: ServedKinds): JsonObject {
  const groups = kinds.groups().map((group) => groupEntry(kinds, group));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** Builds the response of `GET /apis/<group>`; `undefined` for an unknown group. */
export function groupDocument(kinds: ServedKinds, group: string): JsonObject | undefined {
  if (!kinds.groups().includes(group)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(kinds, group) };
}

function groupEntry(kinds: ServedKinds, group: string): JsonObject {
  const versions = kinds.versionsOf(group).map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** An API group and one of its versions. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Builds the response of `GET /api/v1` and `GET /apis/<group>/<version>`. */
export function resourceList(kinds: ServedKinds, { group, version }: GroupVersion): JsonObject {
  const groupVersion = apiVersionOf({ group, version });
  const resources = kinds
    .all()
    .filter((kind) => kind.group === group && kind.version === version)
    .flatMap((kind) => [resourceEntry(kind), ...partEntries(kind)]);
  // The core group's list has no apiVersion; all others have one.
  return { kind: "APIResourceList", ...(group === "" ? {} : { apiVersion: "v1" }), groupVersion, resources };
}

function resourceEntry(entry: Kind): JsonObject {
  const { plural, singular, namespaced, kind, verbs, listedVerbs = verbs, shortNames, categories } = entry;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: listedVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function partEntries({ plural, namespaced, subresources }: Kind): JsonObject[] {
  return subresources.map(({ name, verbs, kind }) => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...(kind.group === "" ? {} : { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs,
  }));
}

/** Builds the aggregated discovery document of `/api` or `/apis`, which newer clients request; `version` is `v2` or `v2beta1`. */
export function aggregatedDiscovery(kinds: ServedKinds, path: "/api" | "/apis", version: string): JsonObject {
  const listed = path === "/api" ? [""] : kinds.groups();
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: listed.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: kinds.versionsOf(group).map((listedVersion) => ({
        version: listedVersion,
        resources: kinds
          .all()
          .filter((kind) => kind.group === group && kind.version === listedVersion)
          .map(discoveryEntry),
        freshness: "Current",
      })),
    })),
  };
}

function discoveryEntry({
  plural,
  singular,
  namespaced,
  kind,
  verbs,
  listedVerbs = verbs,
  shortNames,
  categories,
  subresources,
}: Kind): JsonObject {
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: listedVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((part) => ({
            subresource: part.name,
            responseKind: part.kind,
            verbs: part.verbs,
          })),
        }),
  };
}
