/** API location of a kind; `group` is empty for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In the path, e.g. `persistentvolumeclaims`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** A kind of the core group. */
function core(kind: string, plural: string, namespaced = true): ResourceType {
  return { group: "", version: "v1", kind, plural, namespaced };
}

/** The kinds that a submission reads or creates, or inspects to diagnose problems. */
export const resourceTypes = {
  pod: core("Pod", "pods"),
  configMap: core("ConfigMap", "configmaps"),
  secret: core("Secret", "secrets"),
  service: core("Service", "services"),
  persistentVolumeClaim: core("PersistentVolumeClaim", "persistentvolumeclaims"),
  event: core("Event", "events"),
  node: core("Node", "nodes", false),
  resourceQuota: core("ResourceQuota", "resourcequotas"),
  limitRange: core("LimitRange", "limitranges"),
  storageClass: {
    group: "storage.k8s.io",
    version: "v1",
    kind: "StorageClass",
    plural: "storageclasses",
    namespaced: false,
  },
  namespace: core("Namespace", "namespaces", false),
  networkPolicy: {
    group: "networking.k8s.io",
    version: "v1",
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    namespaced: true,
  },
  podGroup: {
    group: "scheduling.volcano.sh",
    version: "v1beta1",
    kind: "PodGroup",
    plural: "podgroups",
    namespaced: true,
  },
} as const;

/** `v1` or `group/version`. */
export function apiVersionOf(resource: ResourceType): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** The path of a collection, or of one object, e.g. `/api/v1/namespaces/default/pods/driver`. */
export function resourcePath(resource: ResourceType, namespace?: string, name?: string): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
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
  return known ?? unknownType(apiVersion, kind);
}

function unknownType(apiVersion: string, kind: string): ResourceType {
  const [first = "", second] = apiVersion.split("/");
  const groupVersion = second === undefined ? { group: "", version: first } : { group: first, version: second };
  return { ...groupVersion, kind, plural: guessPlural(kind.toLowerCase()), namespaced: true };
}

function guessPlural(singular: string): string {
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** Prints a reference for kubectl, e.g. `configmap/x`, `networkpolicy.networking.k8s.io/y`. */
export function printReference({ group, kind }: ResourceType, name: string): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}
