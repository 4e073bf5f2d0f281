import { expect, test } from "vitest";
import { submitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { resourceTypes } from "../kube/resources.ts";
import { kubectlBehaviors } from "./auth/access-behaviors.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { socketError } from "./test-api.ts";

const traits = { mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true };
const user = {
  kind: "user",
  settingPrefix: "p",
  trustCertificates: false,
  behaviors: kubectlBehaviors,
  traits: { ...traits, failingExecPluginStops: false },
} as const;

async function connected(access: ConnectOptions["access"], env: Record<string, string> = {}) {
  const logged: string[] = [];
  const log: ConnectOptions["log"] = (level, logger, text) => logged.push(`${level} ${logger}: ${text}`);
  const server = "http://user:s3cret@api.test:8080/k8s/c/";
  const options = { server, log, requestTimeoutMs: 1, connectionTimeoutMs: 1, access };
  const client = await connect(testHost({ env }), options);
  client.close();
  return { client, logged };
}

test("logs the context of a user's connection, as Spark does", async () => {
  const { client, logged } = await connected({ ...user, context: "second" }, { KUBERNETES_NAMESPACE: "team" });
  expect(logged).toEqual([
    "INFO SparkKubernetesClientFactory: Auto-configuring K8S client using context second from users K8S config file",
  ]);
  expect(client.defaultNamespace).toBe("team");
  expect(client.server).toBe("http://api.test:8080/k8s/c");
  expect((await connected(user)).logged[0]).toContain("using current context from");
});

test("reads no other source for known access", async () => {
  const access = { kind: "known", authority: "", token: "t" } as const;
  const { client, logged } = await connected(access, { KUBERNETES_NAMESPACE: "team", HTTP_PROXY: "bad bad" });
  expect(logged).toEqual([]);
  expect(client.defaultNamespace).toBeUndefined();
});

test.each([
  ["https://:443", "host name must not be empty"],
  ["https://h:99999", "port p must be in range 0 <= p <= 65535"],
  ["https:///", "An error has occurred. Invalid server address: https:///."],
])("a connection to the invalid address %s fails at the first call", async (server, message) => {
  const options = { server, log: () => {}, requestTimeoutMs: 1, connectionTimeoutMs: 1, access: user };
  const client = await connect(testHost(), options);
  const pending = client.get({ type: resourceTypes.pod, namespace: "ns", name: "drv" });
  await expect(pending).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_ADDRESS", message });
});

test.each([
  ["read", "SUBMIT_ERR_CLUSTER_NOT_FOUND"],
  ["write", "SUBMIT_ERR_KUBE_UNREACHABLE"],
])("a %s of a cluster whose process has ended fails with %s", async (kind, code) => {
  const requireRunning = () => {
    throw submitError("SUBMIT_ERR_CLUSTER_NOT_FOUND", { name: "default" });
  };
  const access = { kind: "known", authority: "", token: "t", requireRunning } as const;
  const options = { server: "http://h", log: () => {}, requestTimeoutMs: 1000, connectionTimeoutMs: 1000, access };
  const host = testHost();
  const client = await connect(host, options, async () => ({
    transport: () => Promise.reject(socketError("ECONNREFUSED")),
    close: () => {},
  }));
  const pod = { type: resourceTypes.pod, namespace: "n", name: "a" };
  const call = async () => (kind === "read" ? client.get(pod) : client.delete(pod));
  await expect(host.settle<unknown>(call())).rejects.toMatchObject({ code });
});
