import type { PolicyRule, Subject } from "kubernetes-types/rbac/v1.d.ts";
import type { KubeResource, StringMap } from "../kube/types.ts";
import { driverPermissions, type FeatureName, features, type Permission, submitterPermissions } from "./permissions.ts";
import { policyRules } from "./policy-rules.ts";
import { accessGroup, accountSubject } from "./subject.ts";

/** Choices for the set-up of a namespace. */
export interface NamespaceSetup {
  readonly namespace: string;
  /** Service account of drivers. */
  readonly driverAccount: string;
  /** Service account of executors. `undefined`: that of the driver. */
  readonly executorAccount: string | undefined;
  /** Accounts that may submit. Service accounts of the namespace are created. */
  readonly submitters: readonly Subject[];
  readonly features: readonly FeatureName[];
  /** Limits of a ResourceQuota, e.g. `requests.cpu`. */
  readonly quota: StringMap | undefined;
  /** Whether only Spark's pods of the namespace can connect to them. */
  readonly isIsolated: boolean;
}

/** Label of Spark's pods. */
const roleLabel = "spark-role";
const labels = { "app.kubernetes.io/managed-by": "firesteel" };

/** Builds the objects with which submissions to a namespace work, in the order of their creation. */
export function namespaceObjects(setup: NamespaceSetup): readonly KubeResource[] {
  const { namespace, driverAccount, executorAccount, submitters, quota, isIsolated } = setup;
  const chosen = setup.features.map((name) => features[name]);
  const driver = [...driverPermissions, ...chosen.flatMap((feature) => feature.driver ?? [])];
  const submitter = [...submitterPermissions, ...chosen.flatMap((feature) => feature.submitter ?? [])];
  const cluster = chosen.flatMap((feature) => feature.cluster ?? []);
  const accounts = submitters.flatMap((subject) => (isAccountOf(subject, namespace) ? subject.name : []));
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...[...new Set([driverAccount, ...accounts])].map((name) => account(namespace, name)),
    ...(executorAccount === undefined ? [] : [withoutToken(account(namespace, executorAccount))]),
    ...boundRole({
      ...{ name: `${driverAccount}-driver`, namespace, permissions: driver },
      subjects: [accountSubject(namespace, driverAccount)],
    }),
    ...boundRole({ name: `${driverAccount}-submitter`, namespace, permissions: submitter, subjects: submitters }),
    ...cluster.flatMap((shared) => boundRole(clusterRole(setup, shared))),
    ...(quota === undefined ? [] : [resourceQuota(namespace, quota)]),
    ...(isIsolated ? [networkPolicy(namespace)] : []),
  ];
}

function isAccountOf(subject: Subject, namespace: string): boolean {
  return subject.kind === "ServiceAccount" && subject.namespace === namespace;
}

function account(namespace: string, name: string): KubeResource {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } };
}

/** Executors do not call the API, and they run the application's code: they need no token. */
function withoutToken(object: KubeResource): KubeResource {
  return { ...object, automountServiceAccountToken: false };
}

/** Returns a role of the cluster, which the namespaces share. Its binding belongs to the namespace and the account of its drivers. */
function clusterRole(
  { namespace, driverAccount, submitters }: NamespaceSetup,
  { role: name, permissions }: { readonly role: string; readonly permissions: readonly Permission[] },
): RoleInput {
  return { name, bindingName: `${name}:${namespace}:${driverAccount}`, permissions, subjects: submitters };
}

interface RoleInput {
  readonly name: string;
  /** `undefined` for a role of the whole cluster. */
  readonly namespace?: string;
  /** @default the name of the role */
  readonly bindingName?: string;
  readonly permissions: readonly Permission[];
  readonly subjects: readonly Subject[];
}

/** Builds a role and its binding. */
function boundRole({ name, namespace, permissions, subjects, ...more }: RoleInput): readonly KubeResource[] {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const scope = { ...(namespace !== undefined && { namespace }), labels };
  const rules: readonly PolicyRule[] = policyRules(permissions);
  const roleRef = { apiGroup: accessGroup, kind, name };
  const apiVersion = `${accessGroup}/v1`;
  return [
    { apiVersion, kind, metadata: { name, ...scope }, rules },
    { apiVersion, kind: `${kind}Binding`, metadata: { name: more.bindingName ?? name, ...scope }, roleRef, subjects },
  ];
}

function resourceQuota(namespace: string, hard: StringMap): KubeResource {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "firesteel", namespace, labels },
    spec: { hard },
  };
}

/** Lets only Spark's pods of the namespace connect to them. Policies add up, so others can allow more. */
function networkPolicy(namespace: string): KubeResource {
  const sparkPods = { matchExpressions: [{ key: roleLabel, operator: "In", values: ["driver", "executor"] }] };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "firesteel", namespace, labels },
    spec: { podSelector: sparkPods, policyTypes: ["Ingress"], ingress: [{ from: [{ podSelector: sparkPods }] }] },
  };
}
