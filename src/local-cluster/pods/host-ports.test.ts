import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { startHostPorts } from "./host-ports.ts";
import { sharedNetwork } from "./network/pod-network.ts";
import { greetingAt } from "./network/test-greeting.ts";

/** Starts a cluster whose pods have the address 127.91.98.2, where a server greets at a port. */
async function cluster() {
  const server = createServer((socket) => socket.on("error", () => {}).end("hello"));
  await new Promise<void>((resolve) => server.listen({ host: "127.91.98.2", port: 0 }, resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  const containerPort = typeof bound === "object" ? (bound?.port ?? 0) : 0;
  const store = createMemoryStore(testHost());
  onTestFinished(
    startHostPorts({ store, network: sharedNetwork(), addressOf: () => "127.91.98.2", nodeAddress: "127.91.98.1" }),
  );
  const create = (name: string, { spec = {}, ...port }: { spec?: object; hostPort: number; hostIP?: string }) =>
    store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "ns" } },
      spec: { containers: [{ name: "c", ports: [{ containerPort, protocol: "TCP", ...port }] }], ...spec },
    });
  return { store, create, containerPort };
}

test("a host port leads to another port of the pod until the pod ends", async () => {
  const { store, create } = await cluster();
  create("p", { hostPort: 18_491 });
  create("at-one-address", { hostPort: 18_492, hostIP: "127.91.98.9" });
  expect(await greetingAt("127.0.0.1", 18_491)).toBe("hello");
  expect(await greetingAt("127.91.98.1", 18_491)).toBe("hello");
  expect(await greetingAt("127.91.98.9", 18_492)).toBe("hello");
  expect(await greetingAt("127.0.0.1", 18_492)).toBe("ECONNREFUSED");
  store.update("pods", "ns", "p", (pod) => ({ ...pod, status: { phase: "Succeeded" } }));
  await expect.poll(() => greetingAt("127.0.0.1", 18_491)).toBe("ECONNREFUSED");
});

test("a pod of the node's network, and one in this machine's network with the same port, listen themselves", async () => {
  const { create, containerPort } = await cluster();
  create("host-network", { hostPort: 18_493, spec: { hostNetwork: true } });
  create("same", { hostPort: containerPort });
  expect(await greetingAt("127.0.0.1", 18_493)).toBe("ECONNREFUSED");
  expect(await greetingAt("127.0.0.1", containerPort)).toBe("ECONNREFUSED");
});
