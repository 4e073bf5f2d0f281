import type { ResourceType } from "./resources.ts";

const access = { group: "rbac.authorization.k8s.io", version: "v1" } as const;

/** Kinds of accounts and permissions. */
export const accessTypes: readonly ResourceType[] = [
  { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", namespaced: true },
  { ...access, kind: "Role", plural: "roles", namespaced: true },
  { ...access, kind: "RoleBinding", plural: "rolebindings", namespaced: true },
  { ...access, kind: "ClusterRole", plural: "clusterroles", namespaced: false },
  { ...access, kind: "ClusterRoleBinding", plural: "clusterrolebindings", namespaced: false },
];
