import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiProtocol } from "../../src/gateway/api/api-protocol.ts";
import type { OpenApplications } from "../../src/gateway/applications/open-applications.ts";
import { openAuthentication } from "../../src/gateway/authentication/open-authentication.ts";
import { gatewayListener } from "../../src/gateway/http/serve-gateway.ts";
import { unknownPaths } from "../../src/gateway/http/service-protocol.ts";
import { livyProtocol } from "../../src/gateway/livy/livy-protocol.ts";
import { standaloneProtocol } from "../../src/gateway/standalone/standalone-protocol.ts";
import { submitterProtocol } from "../../src/gateway/submitter/submitter-protocol.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { type HttpServer, openHttpServer } from "../../src/http/serve.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { call, startApi } from "./embedded-api.ts";
import { eventually, openGatewayApplications, testApplication } from "./gateway-cluster.ts";

const directory = mkdtempSync(join(tmpdir(), "gateway-permissions-"));
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
let cluster: EmbeddedCluster;
let applications: OpenApplications;
let server: HttpServer;
let key: string;

beforeAll(async () => {
  cluster = await startApi(directory);
  applications = await openGatewayApplications(cluster);
  const submitted = await applications.submit(testApplication());
  if (submitted.kind !== "accepted") throw new Error(JSON.stringify(submitted));
  key = submitted.application.record.key;
  server = await openGatewayServer();
});

afterAll(async () => {
  await server.close(0);
  await applications.close();
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

test("without a token of the cluster, every protocol rejects a request", async () => {
  for (const path of ["/batches", "/v1/submissions/status/driver-1", "/api/v1/applications", "/api/v1/spark-submit"]) {
    expect([path, (await send("wrong", "GET", path)).status]).toEqual([path, 401]);
  }
});

test("a user who may do everything with pods submits and kills", async () => {
  const token = await tokenOf("editor", [{ resources: ["pods", "pods/log"], verbs: ["create", "get", "delete"] }]);
  const created = await send(token, "POST", "/batches", { file: "local:///opt/app.jar", className: "Main" });
  expect([created.status, created.json["owner"]]).toEqual([201, "system:serviceaccount:default:editor"]);
  expect((await send(token, "DELETE", `/batches/${created.json["id"]}`)).status).toBe(200);
});

test("a user who may read pods sees applications, and gets 403 for all changes, in each protocol's form", async () => {
  const token = await tokenOf("reader", [{ resources: ["pods"], verbs: ["get"] }]);
  const denied = "User 'system:serviceaccount:default:reader' cannot";
  expect((await send(token, "GET", "/api/v1/applications")).json["total"]).toBeGreaterThan(0);
  expect(await send(token, "POST", `/api/v1/applications/${key}/kill`)).toMatchObject({
    ...{ status: 403, json: { title: "Forbidden", detail: `${denied} kill applications in the namespace 'default'.` } },
  });
  expect(await send(token, "GET", `/api/v1/applications/${key}/log?follow=true`)).toMatchObject({
    ...{ status: 403, json: { detail: `${denied} read logs in the namespace 'default'.` } },
  });
  const batch = { file: "local:///opt/app.jar", className: "Main" };
  expect(await send(token, "POST", "/batches", batch)).toMatchObject({
    ...{ status: 403, json: { msg: `${denied} submit applications.` } },
  });
  const submission = { submission_id: "s", spark_submit_args: ["--class", "Main", "local:///opt/app.jar"] };
  expect(await send(token, "POST", "/api/v1/spark-submit", submission)).toMatchObject({
    ...{ status: 403, json: { error_code: "BAD_REQUEST", message: `${denied} submit applications.` } },
  });
  const driver = {
    ...{ action: "CreateSubmissionRequest", clientSparkVersion: "4.3.0", appResource: "local:///opt/app.jar" },
    ...{ mainClass: "Main", appArgs: [], environmentVariables: {}, sparkProperties: { "spark.app.name": "a" } },
  };
  expect(await send(token, "POST", "/v1/submissions/create", driver)).toMatchObject({
    ...{ status: 403, json: { action: "ErrorResponse", message: `${denied} submit applications.` } },
  });
});

test("a user without permissions sees no application", async () => {
  const token = await tokenOf("guest", []);
  const denied = "User 'system:serviceaccount:default:guest' cannot read applications.";
  expect((await send(token, "GET", "/api/v1/applications")).json).toEqual({ total: 0, applications: [] });
  expect((await send(token, "GET", "/batches")).json).toMatchObject({ total: 0, sessions: [] });
  expect(await send(token, "GET", `/api/v1/applications/${key}`)).toMatchObject({ status: 403 });
  expect(await send(token, "GET", "/batches/0")).toMatchObject({ status: 403, json: { msg: denied } });
  expect(await send(token, "GET", "/v1/submissions/status/driver-1")).toMatchObject({
    ...{ status: 403, json: { message: denied } },
  });
});

test("with impersonation, the cluster checks a submission against the permissions of its owner", async () => {
  const impersonating = await openGatewayApplications(cluster, cluster.transport, { isImpersonating: true });
  const submit = async (ownerGroups: readonly string[]) => {
    const result = await impersonating.submit(testApplication({ owner: "bob", ownerGroups }));
    if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
    return eventually(() => {
      const found = impersonating.get(result.application.record.key);
      return found?.record.end !== undefined || found?.driver !== undefined ? found : undefined;
    });
  };
  await call(cluster, "POST", `${roles}/rolebindings`, {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "builders" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "builders" }],
  });
  try {
    expect((await submit([])).record.end?.message).toMatch(/"bob" cannot/);
    expect((await submit(["builders"])).driver).toBeDefined();
  } finally {
    await impersonating.close();
  }
});

/** Creates a service account with rules for its namespace. @returns its token */
async function tokenOf(name: string, rules: readonly { resources: string[]; verbs: string[] }[]): Promise<string> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "default" } };
  await call(cluster, "POST", accounts, account);
  const role = {
    ...rbac,
    kind: "Role",
    metadata: { name },
    rules: rules.map((rule) => ({ apiGroups: [""], ...rule })),
  };
  await call(cluster, "POST", `${roles}/roles`, role);
  await call(cluster, "POST", `${roles}/rolebindings`, {
    ...{ ...rbac, kind: "RoleBinding", metadata: { name } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { status } = await call<{ readonly status: { readonly token: string } }>(
    ...([cluster, "POST", `${accounts}/${name}/token`, request] as const),
  );
  return status.token;
}

async function openGatewayServer(): Promise<HttpServer> {
  const host = nodeHost();
  const { clock, random } = host;
  const options = { transport: cluster.transport, server: cluster.url, clock, log: () => {}, requestTimeoutMs: 10_000 };
  const settings = {
    ...{ isCsrfProtected: false, isImpersonating: false, rejectedSettings: [], localDirectories: [], superusers: [] },
    ...{ listsOwnBatchesOnly: false, reusesNames: false, uiBasePath: "" },
  };
  const rules = { rejectedSettings: [], localDirectories: [], defaultFileSystem: undefined, namespaces: ["default"] };
  const version = { text: "4.3.0", line: "4.3" } as const;
  const protocols = [
    apiProtocol({
      ...{ host, applications, events: async () => [], diagnose: async () => undefined },
      explain: async () => ({ ok: false, issues: [] }),
      queues: { usage: () => [], samples: () => [] },
      links: () => ({}),
    }),
    standaloneProtocol({ applications, clock, version, tokenKey: undefined, isReady: () => true }),
    submitterProtocol({ applications, clock, line: version.line }),
    livyProtocol({ applications, settings, rules, random, uiRoot: "", apiRoot: "", links: () => ({}) }),
  ];
  const access = await openAuthentication({
    ...{ host, client: kubeClient(options) },
    settings: {
      ...{ authentication: { kind: "kubernetes" }, namespace: "default", namespaces: ["default"], prefix: "" },
      ...{ isImpersonating: false, livy: settings },
    },
  });
  return openHttpServer({
    ...{ address: "127.0.0.1", port: 0, clock, healthPaths: [], onOverload: () => {} },
    respond: gatewayListener({
      ...{ ...access, clock, log: () => {}, prefix: "", maxBodyBytes: 1_000_000, fallback: () => unknownPaths },
      protocols: () => protocols,
    }),
  });
}

interface Reply {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

async function send(token: string, method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    ...{ method, headers: { "content-type": "application/json", authorization: `Bearer ${token}` } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : {} };
}
