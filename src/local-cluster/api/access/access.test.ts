import { createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

const pods = "/api/v1/namespaces/default/pods";
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };

function tokenOf(api: TestApi, options: { account?: string; pod?: { name: string; uid: string } } = {}): string {
  const { account = "spark", pod } = options;
  const request = { namespace: "default", serviceAccount: account, audiences: [], expirationSeconds: 600 };
  const boundTo = pod === undefined ? undefined : ({ kind: "pod", ...pod } as const);
  return api.scope.tokens.issue({ ...request, boundTo })?.token ?? "";
}

async function messageOf(response: { readonly text: () => Promise<string> }): Promise<string> {
  return JSON.parse(await response.text()).message;
}

describe("a token", () => {
  test("is rejected when it is unknown", async () => {
    const api = testApi();
    const response = await api.call("GET", pods, { token: "guessed" });
    expect(response.status).toBe(401);
    expect(await messageOf(response)).toBe("Unauthorized");
  });

  test("of a service account authenticates it", async () => {
    const api = testApi();
    expect(api.scope.tokens.userOf(tokenOf(api))).toMatchObject({
      name: "system:serviceaccount:default:spark",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
  });

  test("is rejected when it was modified", () => {
    const api = testApi();
    const [head, , signature] = tokenOf(api).split(".");
    const body = Buffer.from(JSON.stringify({ sub: "system:serviceaccount:kube-system:x" }));
    expect(api.scope.tokens.userOf(`${head}.${body.toString("base64url")}.${signature}`)).toBeUndefined();
    expect(api.scope.tokens.userOf(`${tokenOf(testApi())}`)).toBeUndefined();
  });

  test("expires", async () => {
    const api = testApi();
    const token = tokenOf(api);
    await api.host.advance(600_000);
    expect(api.scope.tokens.userOf(token)).toBeUndefined();
  });

  test("becomes invalid when its pod or its account is deleted", () => {
    const api = testApi();
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } };
    const { uid } = api.put("pods", pod).metadata;
    const token = tokenOf(api, { pod: { name: "p", uid } });
    expect(api.scope.tokens.userOf(token)).toBeDefined();
    api.scope.store.remove("pods", "default", "p");
    expect(api.scope.tokens.userOf(token)).toBeUndefined();
    const other = tokenOf(api);
    api.scope.store.remove("serviceaccounts", "default", "spark");
    expect(api.scope.tokens.userOf(other)).toBeUndefined();
  });

  test("is valid for its audience only", () => {
    const api = testApi();
    const request = { namespace: "default", serviceAccount: "spark", expirationSeconds: 600 };
    const { token = "" } = api.scope.tokens.issue({ ...request, audiences: ["vault"] }) ?? {};
    expect(api.scope.tokens.userOf(token)).toBeUndefined();
    expect(api.scope.tokens.userOf(token, ["vault"])).toBeDefined();
  });
});

describe("a service account", () => {
  test("that is bound to edit can work in its namespace", async () => {
    const api = testApi();
    const token = tokenOf(api);
    for (const [method, path, body] of [
      ["GET", `${pods}?watch=true&timeoutSeconds=0`],
      ["POST", "/api/v1/namespaces/default/configmaps", configMap],
      ["DELETE", `${pods}?labelSelector=a%3Db`],
      ["GET", "/api/v1/namespaces/default/persistentvolumeclaims"],
      ["GET", "/apis/apps/v1/namespaces/default/statefulsets"],
    ] as const) {
      expect((await api.call(method, path, { token, body })).status).toBeLessThan(300);
    }
  });

  test("has no permissions in other namespaces", async () => {
    const api = testApi();
    const response = await api.call("GET", "/api/v1/namespaces/kube-system/pods", { token: tokenOf(api) });
    expect(response.status).toBe(403);
    expect(await messageOf(response)).toBe(
      'pods is forbidden: User "system:serviceaccount:default:spark" cannot list resource "pods" in API group "" in the ' +
        'namespace "kube-system"',
    );
  });

  test("without a binding can only use discovery", async () => {
    const api = testApi();
    const token = tokenOf(api, { account: "default" });
    expect((await api.call("GET", "/version", { token })).status).toBe(200);
    expect((await api.call("GET", pods, { token })).status).toBe(403);
  });

  test("cannot grant itself more permissions", async () => {
    const api = testApi();
    api.put("rolebindings.rbac.authorization.k8s.io", {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" },
      metadata: { name: "binder", namespace: "default" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
      subjects: [{ kind: "ServiceAccount", name: "spark", namespace: "default" }],
    });
    const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
    const binding = (role: string) => ({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: role } },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: "spark", namespace: "default" }],
    });
    const token = tokenOf(api);
    const escalation = await api.call("POST", path, { token, body: binding("cluster-admin") });
    expect(escalation.status).toBe(403);
    expect(await messageOf(escalation)).toContain("is attempting to grant RBAC permissions not currently held");
    expect((await api.call("POST", path, { token, body: binding("view") })).status).toBe(201);
  });
});

test("a role with too many permissions to compare with those of its author is rejected", async () => {
  const api = testApi();
  api.put("rolebindings.rbac.authorization.k8s.io", {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" },
    metadata: { name: "binder", namespace: "default" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace: "default" }],
  });
  const many = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
  const body = {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" } },
    rules: [{ verbs: many, apiGroups: many, resources: many, resourceNames: many }],
  };
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
  const response = await api.call("POST", path, { token: tokenOf(api), body });
  expect([response.status, await messageOf(response)]).toEqual([403, expect.stringContaining("more than 100000")]);
});

test.each([
  [{}, 'users "jane"'],
  [{ "impersonate-group": "g" }, 'groups "g"'],
  [{ "impersonate-uid": "1" }, 'uids.authentication.k8s.io "1"'],
  [{ "impersonate-extra-a%2Fb": "c" }, 'userextras.authentication.k8s.io "c"'],
])("impersonating a user with %o needs a permission for each part", async (headers, rejected) => {
  const api = testApi();
  const resources = ["users", "groups", "uids", "userextras/a/b"];
  const kept = resources.filter((resource) => !rejected.startsWith(resource.split("/")[0] ?? ""));
  const grant = (allowed: readonly string[]) => {
    api.scope.store.remove("clusterroles.rbac.authorization.k8s.io", undefined, "r");
    api.put("clusterroles.rbac.authorization.k8s.io", {
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "r" } },
      rules: [{ verbs: ["impersonate"], apiGroups: ["", "authentication.k8s.io"], resources: allowed }],
    });
  };
  api.put("clusterrolebindings.rbac.authorization.k8s.io", {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", metadata: { name: "b" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
    subjects: [{ kind: "ServiceAccount", name: "spark", namespace: "default" }],
  });
  const call = async () =>
    messageOf(
      await api.call("GET", pods, { token: tokenOf(api), headers: { "impersonate-user": "jane", ...headers } }),
    );
  grant(kept);
  expect(await call()).toMatch(
    new RegExp(`^${rejected} is forbidden: User "system:serviceaccount:default:spark" cannot impersonate`),
  );
  grant(resources);
  expect(await call()).toContain('User "jane" cannot list resource');
});

test("an impersonated service account has the uid and extra fields of the request", async () => {
  const headers = {
    ...{
      "impersonate-user": "system:serviceaccount:default:spark",
      "impersonate-uid": "1",
      "impersonate-extra-a": "b",
    },
  };
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { status } = JSON.parse(await (await testApi().call("POST", path, { headers, body })).text());
  expect(status.userInfo).toMatchObject({ uid: "1", extra: { a: ["b"] } });
});

test("the administrator can impersonate other users", async () => {
  const api = testApi();
  const headers = { "impersonate-user": "jane" };
  expect((await api.call("GET", pods, { headers })).status).toBe(403);
  expect((await api.call("GET", pods, { headers: { ...headers, "impersonate-group": "system:masters" } })).status).toBe(
    200,
  );
});

test("aggregates roles for custom resources into the default roles by label", async () => {
  const api = testApi();
  const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] }];
  const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
  const body = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "r", labels },
    rules,
  };
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  await api.call("POST", path, { body });
  await api.host.advance(10);
  for (const role of ["view", "edit", "admin"]) {
    const { rules: found } = JSON.parse(await (await api.call("GET", `${path}/${role}`)).text());
    expect(found).toContainEqual(rules[0]);
    expect(found.length).toBeGreaterThan(5);
  }
});

test("service accounts find the key of their tokens, which name the node of their pod", async () => {
  const { call, put } = testApi();
  put("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } });
  const pod = put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" } },
    spec: { nodeName: "n", serviceAccountName: "spark", containers: [] },
  });
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: pod.metadata.uid };
  const path = "/api/v1/namespaces/default/serviceaccounts/spark/token";
  const issued = JSON.parse(
    await (await call("POST", path, { body: { spec: { audiences: [], boundObjectRef } } })).text(),
  );
  const { token } = issued.status;
  const read = async (at: string) => JSON.parse(await (await call("GET", at, { token })).text());
  const { issuer, jwks_uri: uri } = await read("/.well-known/openid-configuration");
  const { keys } = await read(new URL(uri).pathname);
  const [head, body, signature] = token.split(".");
  const key = { key: createPublicKey({ key: keys[0], format: "jwk" }), dsaEncoding: "ieee-p1363" } as const;
  expect(verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))).toBe(true);
  expect(JSON.parse(Buffer.from(body, "base64url").toString())).toMatchObject({
    iss: issuer,
    "kubernetes.io": { node: { name: "n" }, pod: { name: "p" } },
  });
  const review = await call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { token, body: {} });
  expect(JSON.parse(await review.text()).status.userInfo.extra).toMatchObject({
    "authentication.kubernetes.io/node-name": ["n"],
  });
});
