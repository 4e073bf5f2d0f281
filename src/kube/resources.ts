/** Where a kind lives in the API: `group` is empty for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In the path, e.g. `persistentvolumeclaims`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

function type(apiVersion: string, kind: string, plural: string): ResourceType {
  const [first = "", second] = apiVersion.split("/");
  const place = second === undefined ? { group: "", version: first } : { group: first, version: second };
  return { ...place, kind, plural, namespaced: true };
}

/** The kinds that a submission reads or creates, or looks at when something is wrong. */
export const resourceTypes = {
  pod: type("v1", "Pod", "pods"),
  configMap: type("v1", "ConfigMap", "configmaps"),
  secret: type("v1", "Secret", "secrets"),
  service: type("v1", "Service", "services"),
  persistentVolumeClaim: type("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  event: type("v1", "Event", "events"),
  node: { ...type("v1", "Node", "nodes"), namespaced: false },
  resourceQuota: type("v1", "ResourceQuota", "resourcequotas"),
  limitRange: type("v1", "LimitRange", "limitranges"),
  storageClass: { ...type("storage.k8s.io/v1", "StorageClass", "storageclasses"), namespaced: false },
  namespace: { ...type("v1", "Namespace", "namespaces"), namespaced: false },
  networkPolicy: type("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
  podGroup: type("scheduling.volcano.sh/v1beta1", "PodGroup", "podgroups"),
} as const;

/** `v1` or `group/version`. */
export function apiVersionOf(resource: ResourceType): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** The path of a collection, or of one object, e.g. `/api/v1/namespaces/default/pods/driver`. */
export function resourcePath(resource: ResourceType, namespace?: string, name?: string): string {
  const root =
    resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope =
    resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${resource.plural}${object}`;
}

/**
 * The type of an object, by its apiVersion and kind. The plural of a kind that we do not know is guessed as Kubernetes
 * does it, and it is taken to live in a namespace.
 *
 * Source: apimachinery, UnsafeGuessKindToResource.
 */
export function resourceTypeOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceType {
  const known = Object.values(resourceTypes).find(
    (candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion,
  );
  return known ?? type(apiVersion, kind, guessPlural(kind.toLowerCase()));
}

function guessPlural(singular: string): string {
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** As kubectl takes it, e.g. `configmap/x`, `networkpolicy.networking.k8s.io/y`. */
export function printReference({ group, kind }: ResourceType, name: string): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}
