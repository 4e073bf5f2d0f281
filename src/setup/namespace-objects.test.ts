import { expect, test } from "vitest";
import { type NamespaceSetup, namespaceObjects } from "./namespace-objects.ts";
import { accountSubject } from "./subject.ts";

const plain: NamespaceSetup = {
  ...{ namespace: "jobs", driverAccount: "spark", executorAccount: undefined },
  submitters: [accountSubject("jobs", "spark-submitter")],
  ...{ features: [], quota: undefined, isIsolated: false },
};

const names = (setup: Partial<NamespaceSetup>) =>
  namespaceObjects({ ...plain, ...setup }).map(({ kind, metadata }) => `${kind}/${metadata.name}`);

test("a namespace gets accounts, roles and bindings for drivers and submitters", () => {
  expect(names({})).toEqual([
    ...["Namespace/jobs", "ServiceAccount/spark", "ServiceAccount/spark-submitter"],
    ...["Role/spark-driver", "RoleBinding/spark-driver", "Role/spark-submitter", "RoleBinding/spark-submitter"],
  ]);
  const [, , , , binding] = namespaceObjects(plain);
  expect(binding).toMatchObject({
    roleRef: { kind: "Role", name: "spark-driver" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace: "jobs" }],
  });
});

test("accounts of other namespaces are bound, but not created", () => {
  const submitters = [
    accountSubject("ci", "runner"),
    { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" },
  ];
  expect(names({ submitters }).filter((name) => name.startsWith("ServiceAccount"))).toEqual(["ServiceAccount/spark"]);
  expect(namespaceObjects({ ...plain, submitters }).at(-1)).toMatchObject({
    kind: "RoleBinding",
    subjects: submitters,
  });
});

test("executors get an account without a token", () => {
  const account = namespaceObjects({ ...plain, executorAccount: "worker" }).find(
    ({ metadata }) => metadata.name === "worker",
  );
  expect(account).toMatchObject({ kind: "ServiceAccount", automountServiceAccountToken: false });
});

test("accounts of drivers have roles of their own", () => {
  expect(names({ driverAccount: "etl" })).toContain("Role/etl-driver");
});

test("a feature adds its verbs to the rule of the resource", () => {
  const [role] = namespaceObjects({ ...plain, features: ["pvc-resize"] }).filter(({ kind }) => kind === "Role");
  expect(role?.["rules"]).toContainEqual({
    ...{ apiGroups: [""], resources: ["persistentvolumeclaims"] },
    verbs: ["create", "deletecollection", "get", "list", "patch"],
  });
});

test("permissions on nodes are a cluster role, bound for each namespace", () => {
  expect(names({ features: ["nodes"] }).slice(-2)).toEqual([
    ...["ClusterRole/firesteel-submitter", "ClusterRoleBinding/firesteel-submitter:jobs:spark"],
  ]);
});

test("features with permissions in the cluster have roles of their own, so that namespaces can differ", () => {
  expect(names({ features: ["nodes", "doctor"] }).filter((name) => name.startsWith("ClusterRole/"))).toEqual([
    ...["ClusterRole/firesteel-submitter", "ClusterRole/firesteel-doctor"],
  ]);
});

test("quota and network policy are last, because they restrict pods", () => {
  const objects = namespaceObjects({ ...plain, quota: { pods: "5" }, isIsolated: true }).slice(-2);
  expect(objects).toMatchObject([
    { kind: "ResourceQuota", spec: { hard: { pods: "5" } } },
    { kind: "NetworkPolicy", spec: { policyTypes: ["Ingress"] } },
  ]);
});
