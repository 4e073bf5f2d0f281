import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../../../../host/node-host.ts";
import { createAuthority, createServerCertificate } from "../../../../certificates/certificate.ts";
import { testApi } from "../../../../test-api.ts";
import type { PodSessions } from "../../../pod-sessions.ts";
import { createWebhookClient } from "./https-webhook-client.ts";

const host = nodeHost();
const authority = createAuthority(host, "webhooks");
const caBundle = Buffer.from(authority.certificatePem).toString("base64");
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface TestServer {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: () => number;
  readonly server: Server;
}

/** Starts a server on the loopback address. Its certificate has these names. */
async function serve(listener: RequestListener, names: readonly string[] = ["127.0.0.1"]): Promise<TestServer> {
  const { certificatePem: cert, privateKeyPem: key } = createServerCertificate(host, { authority, name: "s", names });
  const server = createServer({ cert, key }, listener);
  let count = 0;
  server.on("connection", () => {
    count += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: portOf(server), connections: () => count };
}

function portOf(server: { readonly address: () => AddressInfo | string | null }): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

function client(options: { readonly maxResponseBytes?: number; readonly sessions?: PodSessions } = {}) {
  const { scope } = testApi();
  const created = createWebhookClient({ ...scope, clock: host.clock, ...options, sessions: () => options.sessions });
  closers.push(created.close);
  return { store: scope.store, ...created };
}

const call = (url: string, fields: object = {}) => ({
  ...{ address: { url, caBundle }, review: "{}", timeoutMs: 5000, signal: undefined, ...fields },
});

describe("the client of webhooks", () => {
  test("posts reviews as JSON, and uses a connection again", async () => {
    const received: unknown[] = [];
    const { port, connections } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        const { method, url, headers } = request;
        const body = Buffer.concat(chunks).toString();
        received.push({ method, url, body, type: headers["content-type"], agent: headers["user-agent"] });
        response.end("{}");
      });
    });
    const { send } = client();
    const url = `https://127.0.0.1:${port}/mutate`;
    expect(await send(call(url, { review: '{"a":1}' }))).toBe("{}");
    expect(await send(call(url))).toBe("{}");
    expect(received[0]).toEqual({
      ...{ method: "POST", url: "/mutate?timeout=5s", body: '{"a":1}' },
      ...{ type: "application/json", agent: "kube-apiserver-admission" },
    });
    expect(connections()).toBe(1);
  });

  test("repeats a review if the server has just closed the connection", async () => {
    const { port, server } = await serve(answering(200, "{}"));
    const { send } = client();
    const url = `https://127.0.0.1:${port}`;
    await send(call(url));
    server.closeAllConnections();
    expect(await send(call(url))).toBe("{}");
  });

  test.each<[number, string, Record<string, string>, string]>([
    [404, "", {}, "the server could not find the requested resource"],
    [500, " broken\n", {}, 'an error on the server ("broken") has prevented the request from succeeding'],
    [500, "secret", { "content-type": "application/x" }, 'an error on the server ("unknown") has prevented'],
    [403, '{"kind":"Status","message":"not you"}', {}, "not you"],
    [302, "", { location: "https://127.0.0.1:1/" }, "the server responded with the status code 302 but did not return"],
    [200, "", {}, "0-length response with status code: 200 and content type: "],
  ])("reports the status %i with the body %j", async (status, body, headers, message) => {
    const { port } = await serve(answering(status, body, headers));
    await expect(client().send(call(`https://127.0.0.1:${port}`))).rejects.toThrow(
      `failed to call webhook: ${message}`,
    );
  });

  test("verifies the server's certificate", async () => {
    const { port } = await serve(answering(200, "{}"), ["other.example.com"]);
    const prefix = `failed to call webhook: Post "https://127.0.0.1:${port}/?timeout=5s": tls: failed to verify certificate: x509:`;
    await expect(client().send(call(`https://127.0.0.1:${port}`))).rejects.toThrow(
      `${prefix} certificate is not valid for the requested name`,
    );
    const untrusted = { address: { url: `https://127.0.0.1:${port}` } };
    await expect(client().send(call("", untrusted))).rejects.toThrow(
      `${prefix} certificate signed by unknown authority`,
    );
    const invalid = { address: { url: `https://127.0.0.1:${port}`, caBundle: "eA==" } };
    await expect(client().send(call("", invalid))).rejects.toThrow("unable to parse bytes as PEM block");
  });

  test("reports a closed port, plain HTTP, and an unknown host", async () => {
    const plain = createHttpServer(answering(200, "{}"));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const port = portOf(plain);
    const url = `https://127.0.0.1:${port}`;
    await expect(client().send(call(url))).rejects.toThrow("http: server gave HTTP response to HTTPS client");
    await new Promise((resolve) => plain.close(resolve));
    await expect(client().send(call(url))).rejects.toThrow(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });

  test("limits the time and the size of a response", async () => {
    const idle = await serve(() => {});
    await expect(client().send(call(`https://127.0.0.1:${idle.port}/x`, { timeoutMs: 100 }))).rejects.toThrow(
      `Post "https://127.0.0.1:${idle.port}/x?timeout=1s": context deadline exceeded`,
    );
    const large = await serve(answering(200, "x".repeat(2000)));
    await expect(client({ maxResponseBytes: 1000 }).send(call(`https://127.0.0.1:${large.port}`))).rejects.toThrow(
      "the response is larger than 1000 bytes",
    );
  });

  test("ends with the request of its client", async () => {
    const { port } = await serve(() => {});
    const abort = new AbortController();
    const sent = client().send(call(`https://127.0.0.1:${port}`, { signal: abort.signal }));
    abort.abort();
    await expect(sent).rejects.toThrow("context canceled");
  });
});

describe("a webhook behind a service", () => {
  const service = { namespace: "n", name: "s", path: "/mutate", port: 443 };
  const address = { service, caBundle };
  const metadata = { namespace: "n", name: "s" };
  const serviceObject = (spec: object) => ({
    ...{ apiVersion: "v1", kind: "Service", metadata },
    spec: { type: "ClusterIP", clusterIP: "127.90.0.200", ports: [{ name: "https", port: 443 }], ...spec },
  });
  const slice = (endpoint: object, port: number) => ({
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
    metadata: { namespace: "n", name: "s-1", labels: { "kubernetes.io/service-name": "s" } },
    ...{ endpoints: [endpoint], ports: [{ name: "https", port }] },
  });

  test("is called at a ready pod, with the name of the service in its certificate", async () => {
    const { port } = await serve(answering(200, "{}"), ["s.n.svc"]);
    const connected: unknown[] = [];
    const sessions: PodSessions = {
      exec: () => Promise.resolve({ failure: "" }),
      attach: () => Promise.resolve({ failure: "" }),
      async connect(pod, podPort) {
        connected.push([pod, podPort]);
        return connect(podPort, "127.0.0.1");
      },
    };
    const { send, store } = client({ sessions });
    store.create("services", serviceObject({}));
    const targetRef = { kind: "Pod", namespace: "n", name: "p" };
    store.create("endpointslices.discovery.k8s.io", slice({ addresses: ["127.90.0.9"], targetRef }, port));
    expect(await send(call("", { address }))).toBe("{}");
    expect(await send(call("", { address }))).toBe("{}");
    expect(connected).toEqual([[{ namespace: "n", pod: "p" }, port]]);
  });

  test("is called by a new connection after the server has ended its half of the last one", async () => {
    const { port, server, connections } = await serve(answering(200, "{}"), ["s.n.svc"]);
    const sessions: PodSessions = {
      exec: () => Promise.resolve({ failure: "" }),
      attach: () => Promise.resolve({ failure: "" }),
      async connect(_, podPort) {
        return connect({ port: podPort, host: "127.0.0.1", allowHalfOpen: true });
      },
    };
    const { send, store } = client({ sessions });
    store.create("services", serviceObject({}));
    const targetRef = { kind: "Pod", namespace: "n", name: "p" };
    store.create("endpointslices.discovery.k8s.io", slice({ addresses: ["127.90.0.9"], targetRef }, port));
    server.keepAliveTimeout = 0;
    const served: TLSSocket[] = [];
    server.on("secureConnection", (socket) => served.push(socket));
    await send(call("", { address }));
    const [first] = served;
    if (first !== undefined) await once(first.end(), "close");
    expect(await send(call("", { address }))).toBe("{}");
    expect(connections()).toBe(2);
  });

  test("is called at an address outside of the cluster", async () => {
    const { port } = await serve(answering(200, "{}"), ["s.n.svc"]);
    const { send, store } = client();
    store.create("services", serviceObject({}));
    store.create("endpoints", {
      ...{ apiVersion: "v1", kind: "Endpoints", metadata },
      subsets: [{ addresses: [{ ip: "127.0.0.1" }], ports: [{ name: "https", port }] }],
    });
    expect(await send(call("", { address }))).toBe("{}");
  });

  test.each<[string, object | undefined, string]>([
    ["does not exist", undefined, 'service "s" not found'],
    ["lacks the port", serviceObject({ ports: [{ port: 80 }] }), 'no service port 443 found for service "s"'],
    ["has no address", serviceObject({ clusterIP: "None" }), 'cannot route to service with ClusterIP "None"'],
    ["has no endpoints", serviceObject({}), 'no endpoints available for service "s"'],
  ])("fails if the service %s", async (_, object, message) => {
    const { send, store } = client();
    if (object !== undefined) store.create("services", object);
    await expect(send(call("", { address }))).rejects.toThrow(
      `failed to call webhook: Post "https://s.n.svc:443/mutate?timeout=5s": ${message}`,
    );
  });

  test("is not called while its pod is not ready", async () => {
    const { send, store } = client();
    store.create("services", serviceObject({}));
    const endpoint = { addresses: ["127.90.0.9"], conditions: { ready: false } };
    store.create("endpointslices.discovery.k8s.io", slice(endpoint, 1));
    await expect(send(call("", { address }))).rejects.toThrow('no endpoints available for service "s"');
  });
});
