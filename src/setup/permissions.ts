/** Verbs on one resource of the API. */
export interface Permission {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Plural, optionally with a subresource, e.g. `pods/log`. */
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** Builds the permissions on resources that have the same verbs; both lists are separated by spaces. */
function on(resources: string, verbs: string, group = ""): readonly Permission[] {
  return resources.split(" ").map((resource) => ({ group, resource, verbs: verbs.split(" ") }));
}

/**
 * Permissions of a driver in the namespace, for itself and its executors.
 *
 * Source: requests of drivers of Spark 3.5.9 to 4.3.0, recorded in `test/golden/recorded/permissions`.
 */
export const driverPermissions: readonly Permission[] = [
  ...on("pods", "create delete deletecollection get list patch watch"),
  ...on("configmaps", "create deletecollection"),
  ...on("services", "deletecollection"),
  ...on("persistentvolumeclaims", "create deletecollection list"),
];

/**
 * Permissions of `spark-submit` and of the commands attach, status, kill, diagnose, diff and sweep in the namespace.
 *
 * An apply needs `create` in addition to `patch`. Port forwarding over a WebSocket needs `get`, and since Kubernetes 1.35 also `create`.
 */
export const submitterPermissions: readonly Permission[] = [
  ...on("pods", "create delete get list patch watch"),
  ...on("pods/log pods/proxy", "get"),
  ...on("pods/portforward", "create get"),
  ...on("configmaps persistentvolumeclaims secrets services", "create delete get list patch"),
  ...on("networkpolicies", "create delete get list patch", "networking.k8s.io"),
  ...on("events", "list watch"),
  ...on("limitranges resourcequotas", "list"),
];

/** Further permissions for a feature that not every team uses. */
interface Feature {
  /** Noun phrase for the help text. */
  readonly summary: string;
  readonly driver?: readonly Permission[];
  readonly submitter?: readonly Permission[];
  /** Permissions of submitters on objects without a namespace, in a role that all namespaces with the feature share. */
  readonly cluster?: { readonly role: string; readonly permissions: readonly Permission[] };
}

export const featureNames = [
  "statefulset",
  "deployment",
  "pvc-resize",
  "pod-resize",
  "volcano",
  "nodes",
  "doctor",
  "archive",
] as const;

export type FeatureName = (typeof featureNames)[number];

/** Features by the name with which `--allow` selects them. */
export const features: Readonly<Record<FeatureName, Feature>> = {
  statefulset: {
    summary: "executors of a StatefulSet",
    driver: [...on("statefulsets", "create delete", "apps"), ...on("statefulsets/scale", "get update", "apps")],
  },
  deployment: {
    summary: "executors of a Deployment (Spark 4.2)",
    driver: [...on("deployments", "create delete", "apps"), ...on("deployments/scale", "get update", "apps")],
  },
  "pvc-resize": {
    summary: "the plugin that resizes the executors' volumes (Spark 4.2)",
    driver: on("persistentvolumeclaims", "get patch"),
  },
  "pod-resize": {
    summary: "the plugin that resizes the executors' memory (Spark 4.2)",
    driver: [...on("pods/resize", "patch"), ...on("pods", "get", "metrics.k8s.io")],
  },
  volcano: {
    summary: "pod groups of the Volcano scheduler",
    submitter: on("podgroups", "create delete get list patch", "scheduling.volcano.sh"),
  },
  nodes: {
    summary: "nodes and storage classes of the cluster, for diagnoses and NodePort",
    cluster: {
      role: "firesteel-submitter",
      permissions: [...on("nodes", "get list"), ...on("storageclasses", "get", "storage.k8s.io")],
    },
  },
  archive: {
    summary: "bundles of applications on a PersistentVolumeClaim",
    submitter: on("pods/exec", "create get"),
  },
  doctor: {
    summary: "all checks of firesteel doctor but that of free capacity",
    submitter: [
      ...on("localsubjectaccessreviews", "create", "authorization.k8s.io"),
      ...on("namespaces serviceaccounts", "get"),
      ...on("resourceclaims", "get", "resource.k8s.io"),
    ],
    cluster: {
      role: "firesteel-doctor",
      permissions: [
        ...on("nodes", "get list"),
        ...on("persistentvolumes", "get"),
        ...on("storageclasses", "get", "storage.k8s.io"),
        ...on("priorityclasses", "get", "scheduling.k8s.io"),
        ...on("runtimeclasses", "get", "node.k8s.io"),
        ...on("daemonsets", "list", "apps"),
      ],
    },
  },
};
