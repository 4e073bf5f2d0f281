/** Where a kind lives in the API: `group` is empty for the core group. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** In the path, e.g. `persistentvolumeclaims`. */
  readonly plural: string;
  readonly namespaced: boolean;
}

function type(apiVersion: string, kind: string, plural: string, namespaced = true): ResourceType {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined
    ? { group: "", version: first, kind, plural, namespaced }
    : { group: first, version: second, kind, plural, namespaced };
}

/** The kinds that a submission reads or creates. */
export const resourceTypes = {
  pod: type("v1", "Pod", "pods"),
  configMap: type("v1", "ConfigMap", "configmaps"),
  secret: type("v1", "Secret", "secrets"),
  service: type("v1", "Service", "services"),
  persistentVolumeClaim: type("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  event: type("v1", "Event", "events"),
  namespace: type("v1", "Namespace", "namespaces", false),
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

/** The type of an object, by its apiVersion and kind; `undefined` for kinds that no submission makes. */
export function resourceTypeOf(object: { apiVersion: string; kind: string }): ResourceType | undefined {
  return Object.values(resourceTypes).find(
    (candidate) => candidate.kind === object.kind && apiVersionOf(candidate) === object.apiVersion,
  );
}
