import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { startServiceForwarders } from "./service-forwarders.ts";

/** What a server of this machine says to whoever comes. */
async function greeter(address: string, greeting: string) {
  const server = createServer((socket) => socket.end(greeting));
  await new Promise<void>((resolve) => server.listen({ host: address, port: 0 }, resolve));
  const place = server.address();
  const port = typeof place === "object" && place !== null ? place.port : 0;
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

test("a service's address leads to its pods in turn, and to nothing once it is gone", async () => {
  const store = createMemoryStore(testHost());
  const address = "127.91.99.200";
  const first = await greeter("127.91.99.2", "one");
  const second = createServer((socket) => socket.end("two"));
  await new Promise<void>((resolve) => second.listen({ host: "127.91.99.3", port: first.port }, resolve));
  for (const name of ["a", "b"]) {
    store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "ns", labels: { app: "x" } } },
      spec: { containers: [{ name: "c", ports: [{ name: "web", containerPort: first.port }] }] },
    });
  }
  const stop = startServiceForwarders(store, ({ metadata }) =>
    metadata.name === "a" ? "127.91.99.2" : "127.91.99.3",
  );
  store.create("services", {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "svc", namespace: "ns" } },
    spec: { clusterIP: address, selector: { app: "x" }, ports: [{ port: 18080, targetPort: "web" }] },
  });
  const greetings = [await greetingAt(address, 18080), await greetingAt(address, 18080)];
  expect(greetings.sort()).toEqual(["one", "two"]);
  store.remove("services", "ns", "svc");
  expect(await greetingAt(address, 18080)).toBe("");
  stop();
  first.close();
  second.close();
});
