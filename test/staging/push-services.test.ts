import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { type ApiNamespaces, apiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import { issueCertificate } from "../acceptance/issue-certificate.ts";
import { localize, programOutput, secret } from "../acceptance/localize.ts";
import {
  dataOf,
  initContainerStatus,
  type PushSubmission,
  resolvedAnnotation,
  runInitContainer,
  script,
  secretText,
  serviceManagerSettings,
  startPushSubmission,
  tlsFilesOf,
} from "./push-submission.ts";

const requestAnnotation = "spark-job.alpha.apache.org/provideExternalUri";

/** Starts an ingress that serves another server's root below a path prefix. Returns its URL. */
async function startIngress(target: string, prefix: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "" } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const passed = request(`${target}${url.slice(prefix.length)}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    return void incoming.pipe(passed);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}${prefix}`;
}

/** Starts an Ingress controller of one server, which it gets later. */
async function startIngressFor() {
  let target: string | undefined;
  const server = createServer((incoming, outgoing) => {
    if (target === undefined) return void outgoing.writeHead(503).end();
    const { method = "GET", headers, url = "" } = incoming;
    const passed = request(`${target}${url}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    return void incoming.pipe(passed);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" ? address?.port : address;
  const leadTo = (url: string) => {
    target = url;
  };
  return { url: `http://localhost:${port}`, leadTo };
}

/** Returns a port of a cluster's range on which no process of this machine listens. */
async function freeNodePort(): Promise<number> {
  for (let port = 30_000 + (process.pid % 2_000); port < 32_768; port += 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error("no node port is free");
}

/** Runs the init container on the node port of its service. */
async function runOnNodePort(api: ApiNamespaces, submitted: PushSubmission, path: string) {
  const objects = await submitted.created();
  const [source]: LocalizeSource[] = JSON.parse(dataOf(objects, "-deps-conf", "localize.json")).sources;
  if (source?.kind !== "push") throw new Error("there is nothing to wait for");
  // The API does not know which node ports other programs of this machine use.
  const port = await freeNodePort();
  const service = await call<{ spec: { ports: object[] } }>(api.cluster(), "GET", path);
  const ports = service.spec.ports.map((each) => ({ ...each, nodePort: port }));
  await call(api.cluster(), "PATCH", path, { spec: { ports } });
  const text = Buffer.from(dataOf(objects, "-deps-token", "token"), "base64").toString();
  const waiting = localize([{ ...source, port, secretFile: secret(text), ...tlsFilesOf(objects) }]);
  await programOutput(waiting, /on port \d+\n/);
  const state = { running: { startedAt: "2026-11-22T00:00:00Z" } };
  await submitted.setStatus({ phase: "Pending", initContainerStatuses: [initContainerStatus(state)] });
  return { address: `127.0.0.1:${port}`, waiting };
}

async function addNode(api: ApiNamespaces, status: object, name = "node-1") {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name }, status };
  await call(api.cluster(), "POST", resourcePath(resourceTypes.node), node);
}

describe("files that are pushed to a waiting init container", () => {
  const api = apiNamespaces("pushed");

  test("T83, T84: go to the URL in the service's annotation, after which the service exposes only the driver's UI", async () => {
    const submitted = await startPushSubmission(api, serviceManagerSettings("ExternalAnnotation"));
    const { namespace, program, objects } = submitted;
    const { url, secretText: pushed, directory, program: init } = await runInitContainer(submitted);
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    expect(service).toMatchObject({
      metadata: { annotations: { [requestAnnotation]: "true" }, ownerReferences: [{ kind: "Pod" }] },
      spec: { type: "ClusterIP", publishNotReadyAddresses: true, ports: [{ port: 7077, targetPort: 7077 }] },
    });
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await call(api.cluster(), "PATCH", path, {
      metadata: { annotations: { [resolvedAnnotation]: await startIngress(url, "/drivers/1") } },
    });
    const { exit, stderr, stdout } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect((await init.ended).exit).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
    expect(readFileSync(join(directory, "pyfiles/job.py"), "utf8")).toBe(script);
    const after = await call(api.cluster(), "GET", path);
    expect(after).toMatchObject({
      spec: { type: "ClusterIP", ports: [{ name: "spark-ui-port", port: 4040 }] },
    });
    expect(after.metadata.annotations).not.toHaveProperty([requestAnnotation]);
    const others = (await objects()).filter(({ kind }) => kind !== "Secret");
    for (const text of [JSON.stringify(others), stdout, stderr]) {
      expect(text).not.toContain(pushed);
      expect(text).not.toContain(secretText);
    }
  });

  test("T83: fail with SUBMIT_ERR_STAGING_NO_ADDRESS without the annotation and leave no objects", async () => {
    const timeout = { "spark.kubernetes.driverSubmissionTimeout": "3s" };
    const submitted = await startPushSubmission(api, { ...serviceManagerSettings("ExternalAnnotation"), ...timeout });
    await runInitContainer(submitted);
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain(`no controller set the annotation ${resolvedAnnotation} of its service within 3 s`);
    await submitted.gone();
  });

  test("go through the port of a schedulable node with an address", async () => {
    const expose = { "spark.kubernetes.driver.service.exposeUiPort": "true" };
    const submitted = await startPushSubmission(api, { ...serviceManagerSettings("NodePort"), ...expose });
    const { namespace, program, objects, created } = submitted;
    await created();
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await addNode(api, { addresses: [{ type: "ExternalIP", address: "127.0.0.1" }] });
    const { address } = await runOnNodePort(api, submitted, path);
    const { exit, stderr } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`by http://${address}`);
    expect(stderr).toMatch(/WARN Staging: Sending the files .* unencrypted/);
    expect(await call(api.cluster(), "GET", path)).toMatchObject({
      spec: { type: "NodePort", ports: [{ port: 4040 }] },
    });
  });

  test("go through the port of a node with TLS, by the settings of 2017", async () => {
    const authority = issueCertificate({ name: "authority", isAuthority: true });
    const { key, certificate } = issueCertificate({ name: "node", issuer: authority, names: ["127.0.0.1"] });
    const prefix = "spark.ssl.kubernetes.driversubmitserver";
    const tls = {
      [`${prefix}.enabled`]: "true",
      [`${prefix}.keyPem`]: `file://${secret(key)}`,
      [`${prefix}.serverCertPem`]: secret(certificate),
      [`${prefix}.clientCertPem`]: secret(authority.certificate),
    };
    const submitted = await startPushSubmission(api, { ...serviceManagerSettings("NodePort"), ...tls });
    const { namespace, program, objects, created } = submitted;
    await created();
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await addNode(api, { addresses: [{ type: "ExternalIP", address: "127.0.0.1" }] }, "node-2");
    const { address } = await runOnNodePort(api, submitted, path);
    const { exit, stderr } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`by https://${address}`);
    expect(stderr).not.toContain("unencrypted");
    const others = JSON.stringify((await objects()).filter(({ kind }) => kind !== "Secret"));
    expect(others).not.toContain("PRIVATE KEY");
    expect(others).toContain("/etc/firesteel-localize/server.key");
  });

  test("go to the address of a Gateway through an HTTPRoute, which is then deleted", async () => {
    const group = "gateway.networking.k8s.io";
    const names = { plural: "httproutes", singular: "httproute", kind: "HTTPRoute" };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await call(api.cluster(), "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: {
        name: `httproutes.${group}`,
        annotations: { "api-approved.kubernetes.io": "https://example.com/approved" },
      },
      spec: { group, names, scope: "Namespaced", versions: [{ name: "v1", served: true, storage: true, schema }] },
    });
    const front = await startIngressFor();
    const gateway = {
      "spark.firesteel.staging.push.address": front.url,
      "spark.firesteel.staging.push.gateway": "gateways/public",
    };
    const submitted = await startPushSubmission(api, { ...serviceManagerSettings("Gateway"), ...gateway });
    const { program, namespace } = submitted;
    const { url, program: init } = await runInitContainer(submitted);
    const routes = `/apis/${group}/v1/namespaces/${namespace}/httproutes`;
    const list = () => call<{ items: KubeResource[] }>(api.cluster(), "GET", routes);
    const [found] = (await list()).items;
    const name = found?.metadata.name ?? "";
    expect(found).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Pod" }] },
      spec: {
        parentRefs: [{ name: "public", namespace: "gateways" }],
        hostnames: ["localhost"],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: `/${namespace}/${name.replace(/-push$/, "")}` } }],
            backendRefs: [{ name, port: 7077 }],
          },
        ],
      },
    });
    front.leadTo(url);
    const { exit, stderr } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect((await init.ended).exit).toBe(0);
    expect((await list()).items).toEqual([]);
  });

  test("go to the address of an Ingress, which is then deleted", async () => {
    const front = await startIngressFor();
    const address = { "spark.firesteel.staging.push.address": front.url };
    const submitted = await startPushSubmission(api, { ...serviceManagerSettings("Ingress"), ...address });
    const { program, namespace } = submitted;
    const { url, program: init } = await runInitContainer(submitted);
    const ingresses = `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`;
    const list = () => call<{ items: KubeResource[] }>(api.cluster(), "GET", ingresses);
    const [found] = (await list()).items;
    expect(found).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Pod" }] },
      spec: {
        rules: [
          {
            host: "localhost",
            http: { paths: [{ path: `/${namespace}/${found?.metadata.name?.replace(/-push$/, "")}` }] },
          },
        ],
      },
    });
    front.leadTo(url);
    const { exit, stderr } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect((await init.ended).exit).toBe(0);
    expect((await list()).items).toEqual([]);
  });
});
