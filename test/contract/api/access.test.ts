import { describe, expect, test } from "vitest";
import { contractClient } from "../contract-client.ts";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  describe("authenticates and authorizes", () => {
    test("users, and permits a service account what its bindings allow", async () => {
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const issued = await api.client.call("POST", `${api.base}/serviceaccounts/default/token`, request);
      const { status } = issued.body;
      const token = typeof status === "object" ? String(status["token"]) : "";
      const own = contractClient(api.target.as(token));
      if (api.target.as(token) === api.target.as("admin")) return;
      const denied = await own.call("GET", `${api.base}/pods`);
      expect([denied.status, denied.body.message]).toEqual([
        403,
        `pods is forbidden: User "system:serviceaccount:${api.namespace}:default" cannot list resource "pods" in API group "" in the namespace "${api.namespace}"`,
      ]);
      await api.client.call("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}/rolebindings`, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "edit" },
        subjects: [{ kind: "ServiceAccount", name: "default", namespace: api.namespace }],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      });
      const allowed = await until(
        () => own.call("GET", `${api.base}/pods`),
        (response) => response.status === 200,
      );
      expect(allowed.status).toBe(200);
      expect((await contractClient(api.target.as("wrong")).call("GET", `${api.base}/pods`)).status).toBe(401);
      expect((await contractClient(api.target.as(undefined)).call("GET", `${api.base}/pods`)).status).toBe(403);
      expect((await contractClient(api.target.as(undefined)).call("GET", "/version")).status).toBe(200);
    });
  });

  test("composes aggregated roles of others", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    const label = { [`${api.namespace}.example.com/part`]: "true" };
    const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
    const role = (name: string, more: object, labels: object = {}) => ({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
      metadata: { name: `${api.namespace}-${name}`, labels },
      ...more,
    });
    const rulesOf = async (isExpected: (rules: unknown) => boolean) => {
      const path = `${roles}/${api.namespace}-all`;
      const parse = (text: string): unknown => JSON.parse(text).rules;
      const { text } = await until(
        () => api.client.call("GET", path),
        (response) => isExpected(parse(response.text)),
      );
      return parse(text);
    };
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: label }] };
    await api.client.call("POST", roles, role("all", { aggregationRule, rules: [rule("nodes")] }));
    await api.client.call("POST", roles, role("one", { rules: [rule("pods")] }, label));
    await api.client.call("POST", roles, role("two", { rules: [rule("pods"), rule("secrets")] }, label));
    const composed = [rule("pods"), rule("secrets")];
    const isComposed = (rules: unknown) => JSON.stringify(rules) === JSON.stringify(composed);
    expect(await rulesOf(isComposed)).toEqual(composed);
    for (const name of ["one", "two"]) await api.client.call("DELETE", `${roles}/${api.namespace}-${name}`);
    expect(await rulesOf((rules) => rules === null)).toBeNull();
    await api.client.call("DELETE", `${roles}/${api.namespace}-all`);
    const { body } = await api.client.call("GET", `${roles}/cluster-admin`);
    expect(body.metadata.annotations).toEqual({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
  });
});
