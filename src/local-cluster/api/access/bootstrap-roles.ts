import type { PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import { accessGroup } from "../kinds/access-kinds.ts";
import type { Store } from "../store.ts";
import { mastersGroup } from "./user.ts";

const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];
const every = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

function rule(verbs: readonly string[], groups: string, resources: string): PolicyRule {
  return { verbs: [...verbs], apiGroups: groups.split(","), resources: resources.split(" ") };
}

function paths(...urls: string[]): PolicyRule {
  return { verbs: ["get"], nonResourceURLs: urls };
}

const viewing: readonly PolicyRule[] = [
  rule(
    read,
    "",
    "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers " +
      "replicationcontrollers/scale serviceaccounts services services/status",
  ),
  rule(
    read,
    "",
    "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
  ),
  rule(read, "", "namespaces"),
  rule(read, ",events.k8s.io", "events"),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(
    read,
    "apps",
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets " +
      "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ),
  rule(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
  rule(
    read,
    "extensions",
    "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies " +
      "replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
  ),
  rule(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
  rule(read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
  rule(read, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

const editing: readonly PolicyRule[] = [
  rule(read, "", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule(["impersonate"], "", "serviceaccounts"),
  rule(write, "", "pods pods/attach pods/exec pods/portforward pods/proxy"),
  rule(["create"], "", "pods/eviction"),
  rule(
    write,
    "",
    "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services " +
      "services/proxy",
  ),
  rule(["create"], "", "serviceaccounts/token"),
  rule(write, ",events.k8s.io", "events"),
  rule(
    write,
    "apps",
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
  ),
  rule(write, "autoscaling", "horizontalpodautoscalers"),
  rule(write, "batch", "cronjobs jobs"),
  rule(
    write,
    "extensions",
    "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale " +
      "replicationcontrollers/scale",
  ),
  rule(write, "policy", "poddisruptionbudgets"),
  rule(write, "networking.k8s.io", "ingresses networkpolicies"),
  rule(every, "coordination.k8s.io", "leases"),
  rule(write, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
];

const administering: readonly PolicyRule[] = [
  rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
  rule(every, accessGroup, "rolebindings roles"),
];

const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

/** The default roles of every cluster, with their permissions in Kubernetes 1.35. */
const roles: Readonly<Record<string, readonly PolicyRule[]>> = {
  "cluster-admin": [rule(["*"], "*", "*"), { verbs: ["*"], nonResourceURLs: ["*"] }],
  admin: [...editing, ...viewing, ...administering],
  edit: [...editing, ...viewing],
  view: viewing,
  "system:aggregate-to-admin": administering,
  "system:aggregate-to-edit": editing,
  "system:aggregate-to-view": viewing,
  "system:basic-user": [
    rule(["create"], "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    rule(["create"], "authentication.k8s.io", "selfsubjectreviews"),
  ],
  "system:discovery": [
    paths(
      "/api",
      "/api/*",
      "/apis",
      "/apis/*",
      "/healthz",
      "/livez",
      "/openapi",
      "/openapi/*",
      "/readyz",
      "/version",
      "/version/",
    ),
  ],
  "system:public-info-viewer": [paths(...health)],
  "system:service-account-issuer-discovery": [
    paths(
      "/.well-known/openid-configuration",
      "/.well-known/openid-configuration/",
      "/openid/v1/jwks",
      "/openid/v1/jwks/",
    ),
  ],
};

const bindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": [mastersGroup],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
  "system:service-account-issuer-discovery": ["system:serviceaccounts"],
};

const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };

/** Roles that consist of all roles with a label, such as those for custom resources, and the label that they have themselves. */
const aggregated: Readonly<Record<string, { readonly by: string; readonly to?: string }>> = {
  admin: { by: "admin" },
  edit: { by: "edit", to: "admin" },
  view: { by: "view", to: "edit" },
};

function aggregationLabel(role: string) {
  return { [`rbac.authorization.k8s.io/aggregate-to-${role}`]: "true" };
}

/** Returns the parts of a role that make it consist of others, or part of another one. */
function aggregationOf(name: string) {
  const { by, to = /^system:aggregate-to-(.*)$/.exec(name)?.[1] } = aggregated[name] ?? { by: undefined };
  return {
    labels: to === undefined ? labels : { ...labels, ...aggregationLabel(to) },
    ...(by === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregationLabel(by) }] } }),
  };
}

/** Creates the default roles of a new cluster and their bindings. */
export function createBootstrapRoles(store: Store): void {
  const apiVersion = `${accessGroup}/v1`;
  for (const [name, rules] of Object.entries(roles)) {
    const { labels: own, ...aggregation } = aggregationOf(name);
    const role = {
      apiVersion,
      kind: "ClusterRole",
      metadata: { name, labels: own, annotations },
      ...aggregation,
      rules,
    };
    const collection = `clusterroles.${accessGroup}`;
    if (store.create(collection, role) !== undefined || aggregation.aggregationRule === undefined) continue;
    // A cluster of an earlier release has this role without an aggregation rule.
    store.update(collection, undefined, name, (current) =>
      current["aggregationRule"] === undefined
        ? {
            ...current,
            ...aggregation,
            metadata: { ...current.metadata, labels: { ...own, ...current.metadata.labels } },
          }
        : current,
    );
  }
  for (const [name, groups] of Object.entries(bindings)) {
    store.create(`clusterrolebindings.${accessGroup}`, {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name, labels, annotations },
      roleRef: { apiGroup: accessGroup, kind: "ClusterRole", name },
      subjects: groups.map((group) => ({ apiGroup: accessGroup, kind: "Group", name: group })),
    });
  }
}
