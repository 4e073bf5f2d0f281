import type { JsonObject } from "../json.ts";
import type { Kind } from "../kinds/kind.ts";
import { kinds } from "../kinds/table.ts";

/** API groups except the core group, in the order of the table of kinds. */
export const groups: readonly string[] = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== "");

/** Builds the response of `GET /api`. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** Builds the response of `GET /apis`. */
export function groupList(): JsonObject {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) };
}

/** Builds the response of `GET /apis/<group>`; `undefined` for an unknown group. */
export function groupDocument(group: string): JsonObject | undefined {
  return groups.includes(group) ? { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) } : undefined;
}

function groupEntry(group: string): JsonObject {
  const version = { groupVersion: `${group}/v1`, version: "v1" };
  return { name: group, versions: [version], preferredVersion: version };
}

/** Builds the response of `GET /api/v1` and `GET /apis/<group>/v1`. */
export function resourceList(group: string): JsonObject {
  const groupVersion = group === "" ? "v1" : `${group}/v1`;
  const resources = kinds
    .filter((kind) => kind.group === group)
    .flatMap((kind) => [resourceEntry(kind), ...partEntries(kind)]);
  // The core group's list has no apiVersion; all others have one.
  return { kind: "APIResourceList", ...(group === "" ? {} : { apiVersion: "v1" }), groupVersion, resources };
}

function resourceEntry({ plural, singular, namespaced, kind, verbs, shortNames, categories }: Kind): JsonObject {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
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
export function aggregatedDiscovery(path: "/api" | "/apis", version: string): JsonObject {
  const listed = path === "/api" ? [""] : groups;
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: listed.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: [
        {
          version: "v1",
          resources: kinds.filter((kind) => kind.group === group).map(discoveryEntry),
          freshness: "Current",
        },
      ],
    })),
  };
}

function discoveryEntry({
  plural,
  singular,
  namespaced,
  kind,
  verbs,
  shortNames,
  categories,
  subresources,
}: Kind): JsonObject {
  return {
    resource: plural,
    responseKind: { group: "", version: "", kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
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
