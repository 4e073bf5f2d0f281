/** Options of a call with a merge patch. */
export const mergePatch = { type: "application/merge-patch+json" };

/** Options of a call that applies a configuration. */
export const applyPatch = { type: "application/apply-patch+yaml" };

/** Options of a call that requests a table. */
export const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

export function configMap(name: string, more: object = {}, data: object = { k: "v" }) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}

/** A pod that the cluster's scheduler ignores. */
export function unscheduledPod(name: string, more: object = {}, spec: object = {}) {
  const unscheduled = { containers: [{ name: "a", image: "busybox:1" }], schedulerName: "nobody" };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...more }, spec: { ...unscheduled, ...spec } };
}
