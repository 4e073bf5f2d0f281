import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, onTestFinished, test } from "vitest";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, createNamespace, startApi } from "../acceptance/embedded-api.ts";
import { openFaultProxy } from "../acceptance/fault-proxy.ts";
import { defaultOwner, someBytes, stageBundle, startStaging, until } from "./staging-program.ts";

/** Collection paths by kind. */
const collectionPaths: Readonly<Record<string, string>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/staging/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/staging/rolebindings",
  Deployment: "/apis/apps/v1/namespaces/staging/deployments",
  PersistentVolumeClaim: "/api/v1/namespaces/staging/persistentvolumeclaims",
  Service: "/api/v1/namespaces/staging/services",
  ServiceAccount: "/api/v1/namespaces/staging/serviceaccounts",
};

/** Parses all objects of the documented manifests. */
function documentedObjects(): readonly KubeResource[] {
  const page = readFileSync("docs/staging-server.md", "utf8");
  const blocks = [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)];
  return blocks.flatMap(([, indent = "", text = ""]) => {
    const yaml = text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return loadAll(yaml) as KubeResource[];
  });
}

/** Creates an account with a cluster role in a namespace. Returns its token. */
async function accountIn(cluster: EmbeddedCluster, namespace: string, role: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await call(cluster, "POST", accounts, {
    ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "submitter" } },
  });
  await call(cluster, "POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "submitter" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name: "submitter", namespace }],
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { status } = await call<{ status: { token: string } }>(cluster, "POST", `${accounts}/submitter/token`, request);
  return status.token;
}

test("the documented manifests grant the server and its cleaner all permissions that they use", {
  timeout: 180_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  const cluster = await startApi(directory);
  onTestFinished(async () => {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const name of ["staging", defaultOwner.namespace]) await createNamespace(cluster, name);
  const objects = documentedObjects();
  for (const object of objects) await call(cluster, "POST", collectionPaths[object.kind] ?? object.kind, object);
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(new Set(Object.keys(collectionPaths)));
  const may = await accountIn(cluster, defaultOwner.namespace, "edit");
  const mayNot = await accountIn(cluster, "staging", "view");

  const responses = new Set<string>();
  const account = "system:serviceaccount:staging:firesteel-staging-server";
  const asTheServer: Transport = async (request) => {
    const headers = { ...request.headers, "impersonate-user": account };
    const response = await cluster.transport({ ...request, headers });
    const [path = ""] = request.path.split("?");
    responses.add(`${request.method} ${path.slice(path.lastIndexOf("/") + 1)} ${response.status}`);
    return response;
  };
  const proxy = await openFaultProxy(asTheServer, () => "pass");
  onTestFinished(() => proxy.close());
  const server = await startStaging([
    ...["--api-server", proxy.url, "--use-service-account", "false"],
    ...["--lease-object", "staging/staging-cleaner", "--clean-interval", "200ms"],
  ]);
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  await stageBundle(server, someBytes(10), as(may));
  const json = { namespace: defaultOwner.namespace, blobs: [] };
  expect((await server.sendRequest("POST", "/api/v1/blobs:missing", { json, ...as(mayNot) })).status).toBe(403);
  const used = [
    ...["POST tokenreviews 201", "POST subjectaccessreviews 201"],
    ...["GET pods 200", `GET ${defaultOwner.namespace} 200`],
    ...["POST leases 201", "GET staging-cleaner 404", "PATCH staging-cleaner 200"],
  ];
  await until(() => (used.every((response) => responses.has(response)) ? true : undefined), 120_000);
  expect([...responses].filter((response) => response.endsWith(" 403"))).toEqual([]);
  expect((await server.sendRequest("GET", "/readyz")).status).toBe(200);
});
