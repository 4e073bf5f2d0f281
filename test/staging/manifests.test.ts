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
import { someBytes, stageBundle, startStaging, until, usualOwner } from "./staging-program.ts";

/** Where objects of a kind are created. */
const places: Readonly<Record<string, string>> = {
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  Role: "/apis/rbac.authorization.k8s.io/v1/namespaces/staging/roles",
  RoleBinding: "/apis/rbac.authorization.k8s.io/v1/namespaces/staging/rolebindings",
  Deployment: "/apis/apps/v1/namespaces/staging/deployments",
  PersistentVolumeClaim: "/api/v1/namespaces/staging/persistentvolumeclaims",
  Service: "/api/v1/namespaces/staging/services",
  ServiceAccount: "/api/v1/namespaces/staging/serviceaccounts",
};

/** Every object that the page about the server tells to create. */
function documentedObjects(): readonly KubeResource[] {
  const page = readFileSync("docs/staging-server.md", "utf8");
  const blocks = [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gm)];
  return blocks.flatMap(([, indent = "", text = ""]) => {
    const yaml = text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return loadAll(yaml) as KubeResource[];
  });
}

/** An account that may do what `role` says in a namespace. @returns its token */
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
  const { status } = await call<{ status: { token: string } }>(
    cluster,
    "POST",
    `${accounts}/submitter/token`,
    request,
  );
  return status.token;
}

test("the documented manifests are taken, and give a server and its cleaner all the rights that they use", {
  timeout: 180_000,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
  const cluster = await startApi(directory);
  onTestFinished(async () => {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const name of ["staging", usualOwner.namespace]) await createNamespace(cluster, name);
  const objects = documentedObjects();
  for (const object of objects) await call(cluster, "POST", places[object.kind] ?? object.kind, object);
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(new Set(Object.keys(places)));
  const may = await accountIn(cluster, usualOwner.namespace, "edit");
  const mayNot = await accountIn(cluster, "staging", "view");

  const answers = new Set<string>();
  const account = "system:serviceaccount:staging:firesteel-staging-server";
  const asTheServer: Transport = async (request) => {
    const headers = { ...request.headers, "impersonate-user": account };
    const answer = await cluster.transport({ ...request, headers });
    const [path = ""] = request.path.split("?");
    answers.add(`${request.method} ${path.slice(path.lastIndexOf("/") + 1)} ${answer.status}`);
    return answer;
  };
  const proxy = await openFaultProxy(asTheServer, () => "pass");
  onTestFinished(() => proxy.close());
  const server = await startStaging([
    ...["--api-server", proxy.url, "--use-service-account", "false"],
    ...["--lease-object", "staging/staging-cleaner", "--clean-interval", "200ms"],
  ]);
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  await stageBundle(server, someBytes(10), as(may));
  const json = { namespace: usualOwner.namespace, blobs: [] };
  expect((await server.ask("POST", "/api/v1/blobs:missing", { json, ...as(mayNot) })).status).toBe(403);
  const used = [
    ...["POST tokenreviews 201", "POST subjectaccessreviews 201"],
    ...["GET pods 200", `GET ${usualOwner.namespace} 200`],
    ...["POST leases 201", "GET staging-cleaner 404", "PATCH staging-cleaner 200"],
  ];
  await until(() => (used.every((answer) => answers.has(answer)) ? true : undefined), 120_000);
  expect([...answers].filter((answer) => answer.endsWith(" 403"))).toEqual([]);
  expect((await server.ask("GET", "/readyz")).status).toBe(200);
});
