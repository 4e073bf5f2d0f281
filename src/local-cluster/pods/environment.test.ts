import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { Container } from "../../kube/types.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import type { Image } from "../images/image.ts";
import { containerEnvironment } from "./environment.ts";
import type { StoredPod } from "./stored-object.ts";

const image: Image = {
  ...{ reference: "x", id: "sha256:0", mounts: [], workingDirectory: "/", uid: 0, gid: 0 },
  entrypoint: ["/entry"],
  command: ["serve"],
  env: { PATH: "/bin", FROM_IMAGE: "image" },
  fieldEnv: { OWN_ADDRESS: "status.podIP" },
  users: "root:x:0:0:root:/root:/bin/sh\n",
};

const pod: StoredPod = {
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: {
    ...{ name: "p", namespace: "ns", uid: "u-1", resourceVersion: "1" },
    labels: { app: "pi", b: 'say "hi"' },
  },
  spec: { nodeName: "local", serviceAccountName: "spark", containers: [] },
};

const store = createMemoryStore(testHost());
const meta = (name: string) => ({ metadata: { name, namespace: "ns" }, apiVersion: "v1" });
store.create("configmaps", { ...meta("cm"), kind: "ConfigMap", data: { A: "from-map", "not=usable": "x" } });
store.create("secrets", {
  ...meta("sec"),
  kind: "Secret",
  data: { PASS: Buffer.from("word").toString("base64") },
});
store.create("services", {
  ...{ ...meta("my-db"), kind: "Service" },
  spec: { clusterIP: "127.90.0.200", ports: [{ name: "sql", port: 5432 }] },
});
store.create("services", {
  ...meta("headless"),
  kind: "Service",
  spec: { clusterIP: "None", ports: [{ port: 1 }] },
});

function resolve(container: Partial<Container>, spec: Partial<StoredPod["spec"]> = {}) {
  return containerEnvironment({
    store,
    image,
    facts: {
      pod: { ...pod, spec: { ...pod.spec, ...spec } },
      ...{ address: "127.90.0.2", hostAddress: "127.90.0.1" },
      allocatable: { cpus: 2, memoryBytes: 4 * 1024 ** 3, diskBytes: 1 },
    },
    container: { name: "a", ...container },
    ...{ uid: 0, hostname: "host-1" },
    api: { address: "127.90.0.1", port: 6443 },
  });
}
function variables(env: Container["env"], more: Partial<Container> = {}) {
  const result = resolve({ ...more, ...(env === undefined ? {} : { env }) });
  return "env" in result ? result.env : { problem: result.problem };
}

describe("a container's variables", () => {
  test("include the image's, the host name, the API and the services of the namespace", () => {
    expect(variables(undefined)).toMatchObject({
      ...{ PATH: "/bin", HOME: "/root", HOSTNAME: "host-1", OWN_ADDRESS: "127.90.0.2" },
      ...{ KUBERNETES_SERVICE_HOST: "127.90.0.1", KUBERNETES_SERVICE_PORT: "6443" },
      KUBERNETES_SERVICE_PORT_HTTPS: "6443",
      MY_DB_SERVICE_HOST: "127.90.0.200",
      MY_DB_SERVICE_PORT_SQL: "5432",
      MY_DB_PORT_5432_TCP: "tcp://127.90.0.200:5432",
    });
    expect(Object.keys(variables(undefined)).filter((name) => name.startsWith("HEADLESS"))).toEqual([]);
  });

  test("include no service except the API when service links are disabled", () => {
    const result = resolve({}, { enableServiceLinks: false });
    expect(result).toMatchObject({ env: { KUBERNETES_PORT: "tcp://127.90.0.1:6443" } });
    expect(JSON.stringify(result)).not.toContain("MY_DB");
  });

  test("expand earlier ones and override envFrom, which overrides the image", () => {
    const env = [
      { name: "ONE", value: "1" },
      { name: "TWO", value: "$(ONE)-$(LATER)-$$(ONE)-$(A)-$(MY_DB_SERVICE_PORT)" },
      { name: "LATER", value: "x" },
      { name: "FROM_IMAGE", value: "mine" },
    ];
    expect(variables(env, { envFrom: [{ configMapRef: { name: "cm" } }] })).toMatchObject({
      TWO: "1-$(LATER)-$(ONE)-from-map-5432",
      ...{ A: "from-map", FROM_IMAGE: "mine" },
    });
  });

  test("include envFrom sources with a prefix, without invalid names", () => {
    const env = variables(undefined, {
      envFrom: [{ prefix: "P_", configMapRef: { name: "cm" } }, { secretRef: { name: "sec" } }],
    });
    expect(env).toMatchObject({ P_A: "from-map", PASS: "word" });
    expect(Object.keys(env).filter((name) => name.includes("="))).toEqual([]);
  });

  test.each([
    ["metadata.labels['app']", "pi"],
    ["metadata.labels['none']", ""],
    ["metadata.labels", 'app="pi"\nb="say \\"hi\\""'],
    ["metadata.uid", "u-1"],
    ["spec.nodeName", "local"],
    ["spec.serviceAccountName", "spark"],
    ["status.podIPs", "127.90.0.2"],
    ["status.hostIP", "127.90.0.1"],
  ])("resolve the pod's field %s", (fieldPath, expected) => {
    expect(variables([{ name: "X", valueFrom: { fieldRef: { fieldPath } } }])).toMatchObject({ X: expected });
  });

  test.each([
    ["requests.cpu", undefined, "1"],
    ["requests.cpu", "1m", "250"],
    ["limits.cpu", undefined, "2"],
    ["limits.memory", "1Mi", "4096"],
    ["requests.memory", undefined, "0"],
  ])("resolve the container's %s divided by %s, rounded up", (resource, divisor, expected) => {
    const resourceFieldRef = divisor === undefined ? { resource } : { resource, divisor };
    const env = [{ name: "X", valueFrom: { resourceFieldRef } }];
    expect(variables(env, { resources: { requests: { cpu: "250m" } } })).toMatchObject({ X: expected });
  });

  test.each<[string, Partial<Container>, string]>([
    ["a map", { envFrom: [{ configMapRef: { name: "no" } }] }, 'configmap "no" not found'],
    ["a secret", { envFrom: [{ secretRef: { name: "no" } }] }, 'secret "no" not found'],
    [
      "a key",
      { env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "cm", key: "no" } } }] },
      "couldn't find key no in ConfigMap ns/cm",
    ],
  ])("fail without %s unless it is optional", (_, container, problem) => {
    expect(resolve(container)).toEqual({ problem });
    const optional = JSON.parse(JSON.stringify(container).replaceAll('"name":"', '"optional":true,"name":"'));
    expect(resolve(optional)).toHaveProperty("env");
  });
});

describe("a container's command", () => {
  test.each<[string, Partial<Container>, readonly string[]]>([
    ["the image's", {}, ["/entry", "serve"]],
    ["other arguments", { args: ["x"] }, ["/entry", "x"]],
    ["another program, without the image's arguments", { command: ["y"] }, ["y"]],
    ["variables in it", { command: ["y"], args: ["$(A)$$"], env: [{ name: "A", value: "1" }] }, ["y", "1$"]],
    ["no variables of that name", { command: ["y"], args: ["$(constructor)"] }, ["y", "$(constructor)"]],
  ])("is %s", (_, container, command) => {
    expect(resolve(container)).toMatchObject({ command });
  });
});
