import { createSocket } from "node:dgram";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { sharedNetwork } from "./network/pod-network.ts";
import { startServiceForwarders } from "./service-forwarders.ts";

/** Starts a server on this machine that greets every client. */
async function greeter(address: string, greet: (socket: Socket) => void) {
  const server = createServer((socket) => greet(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen({ host: address, port: 0 }, resolve));
  const boundAddress = server.address();
  const port = typeof boundAddress === "object" && boundAddress !== null ? boundAddress.port : 0;
  return { port, close: () => server.close() };
}

function greetingAt(address: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: address, port });
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

interface ServiceOptions {
  /** Handles a connection to a pod. @default sends its greeting and closes the connection */
  readonly greet?: (socket: Socket, greeting: string) => void;
  readonly maxConnections?: number;
}

/** Creates a service with two pods that send "one" and "two". */
async function service(
  spec: object,
  { greet = (socket, greeting) => void socket.end(greeting), maxConnections }: ServiceOptions = {},
) {
  const host = testHost();
  const store = createMemoryStore(host);
  const addresses = ["127.91.99.2", "127.91.99.3"] as const;
  const first = await greeter(addresses[0], (socket) => greet(socket, "one"));
  const second = createServer((socket) =>
    greet(
      socket.on("error", () => {}),
      "two",
    ),
  );
  await new Promise<void>((resolve) => second.listen({ host: addresses[1], port: first.port }, resolve));
  for (const name of ["a", "b"]) {
    store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "ns", labels: { app: "x" } } },
      spec: { containers: [{ name: "c", ports: [{ name: "web", containerPort: first.port }] }] },
    });
  }
  const addressOf = ({ metadata }: { metadata: { name: string } }) => addresses[metadata.name === "a" ? 0 : 1];
  const stop = startServiceForwarders({
    network: sharedNetwork(),
    ...{ store, clock: host.clock, addressOf, nodeAddress: "127.91.99.1" },
    ...(maxConnections === undefined ? {} : { maxConnections }),
  });
  store.create("services", {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "svc", namespace: "ns" } },
    spec: { clusterIP: "127.91.99.200", selector: { app: "x" }, ...spec },
  });
  const close = () => {
    stop();
    first.close();
    second.close();
  };
  return { host, store, close, targetPort: first.port };
}

test("forwards a service's address to its pods in turn until the service is deleted", async () => {
  const { store, close } = await service({ ports: [{ port: 18080, targetPort: "web" }] });
  const greetings = [await greetingAt("127.91.99.200", 18080), await greetingAt("127.91.99.200", 18080)];
  expect(greetings.sort()).toEqual(["one", "two"]);
  store.remove("services", "ns", "svc");
  expect(await greetingAt("127.91.99.200", 18080)).toBe("");
  close();
});

test("without a selector forwards to the ready endpoints of its slices that have the port's name", async () => {
  const { store, close, targetPort } = await service({
    selector: {},
    ports: [
      { port: 18084, name: "one" },
      { port: 18085, name: "two" },
    ],
  });
  const endpoint = (address: string, ready: boolean) => ({ addresses: [address], conditions: { ready } });
  const slice = (name: string, endpoints: readonly object[]) =>
    store.create("endpointslices.discovery.k8s.io", {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4", endpoints },
      metadata: { name, namespace: "ns", labels: { "kubernetes.io/service-name": "svc" } },
      ports: [{ name, port: targetPort }],
    });
  expect(await greetingAt("127.91.99.200", 18084)).toBe("");
  slice("one", [endpoint("127.91.99.2", true), endpoint("127.91.99.3", false)]);
  slice("two", [endpoint("127.91.99.3", true)]);
  const greetings = async (port: number) => [
    await greetingAt("127.91.99.200", port),
    await greetingAt("127.91.99.200", port),
  ];
  expect(await greetings(18084)).toEqual(["one", "one"]);
  expect(await greetings(18085)).toEqual(["two", "two"]);
  close();
});

/** Starts a server on this machine that responds to each datagram with its own text and the datagram's. */
async function echo(address: string, text: string) {
  const socket = createSocket("udp4");
  socket.on("message", (message, client) => socket.send(`${text} ${message}`, client.port, client.address));
  await new Promise<void>((resolve) => socket.bind({ address, port: 18087 }, resolve));
  return () => socket.close();
}

/** Sends datagrams from one port until it has as many responses. */
function responsesFrom(address: string, port: number, count: number): Promise<readonly string[]> {
  const socket = createSocket("udp4");
  const responses: string[] = [];
  return new Promise((resolve) => {
    const resend = setInterval(() => socket.send(`datagram`, port, address), 20);
    socket.on("message", (response) => {
      responses.push(String(response));
      if (responses.length < count) return;
      clearInterval(resend);
      socket.close();
      resolve(responses);
    });
  });
}

test("forwards datagrams of a client's port to one pod, and its responses back", async () => {
  const ends = [await echo("127.91.99.2", "one"), await echo("127.91.99.3", "two")];
  const { close } = await service({ ports: [{ port: 18088, protocol: "UDP", targetPort: 18087 }] });
  const clients = [await responsesFrom("127.91.99.200", 18088, 2), await responsesFrom("127.91.99.200", 18088, 2)];
  expect(clients.map(([first]) => first).sort()).toEqual(["one datagram", "two datagram"]);
  for (const [first, second] of clients) expect(second).toBe(first);
  close();
  for (const end of ends) end();
});

test("forwards to the target of the TCP port if a UDP port has the same number", async () => {
  const { close } = await service({
    ports: [
      { port: 18086, name: "datagrams", protocol: "UDP", targetPort: 1 },
      { port: 18086, name: "stream", protocol: "TCP", targetPort: "web" },
    ],
  });
  expect(await greetingAt("127.91.99.200", 18086)).toMatch(/one|two/);
  close();
});

test("closes connections beyond the limit until one of the others ends", async () => {
  const greet = (socket: Socket, greeting: string) => void socket.write(greeting);
  const { close } = await service({ ports: [{ port: 18083, targetPort: "web" }] }, { greet, maxConnections: 2 });
  const open = async () => {
    const socket = connect({ host: "127.91.99.200", port: 18083 });
    const first = await new Promise<string>((resolve) => {
      socket.on("error", () => {}).once("data", (chunk) => resolve(String(chunk)));
      socket.once("close", () => resolve("closed"));
    });
    return { socket, first };
  };
  const opened = [await open(), await open(), await open()];
  expect(opened.map(({ first }) => first)).toEqual(["two", "one", "closed"]);
  opened[0]?.socket.destroy();
  await expect.poll(async () => (await open()).first).toMatch(/one|two/);
  close();
});

test("opens a node port on the loopback address and on the node's address", async () => {
  const { close } = await service({
    type: "NodePort",
    ports: [{ port: 18081, targetPort: "web", nodePort: 31881 }],
  });
  expect(await greetingAt("127.0.0.1", 31881)).toMatch(/one|two/);
  expect(await greetingAt("127.91.99.1", 31881)).toMatch(/one|two/);
  close();
});

test("keeps a client on its pod with session affinity until the session times out", async () => {
  const { host, close } = await service({
    ...{ ports: [{ port: 18082, targetPort: "web" }], sessionAffinity: "ClientIP" },
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
  });
  const greet = () => greetingAt("127.91.99.200", 18082);
  const first = await greet();
  expect([await greet(), await greet()]).toEqual([first, first]);
  await host.advance(61_000);
  expect(await greet()).not.toBe(first);
  close();
});
