import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { bindDirectly, connectDirectly } from "./pod-network.ts";
import { startPortMirror } from "./port-mirror.ts";
import { greetingAt } from "./test-greeting.ts";

test("mirrors the ports of a pod while they listen, and forgets a pod that is removed", async () => {
  // In the test, the pod's server is on this machine, too, at another address.
  const server = createServer((socket) => socket.on("error", () => {}).end("of the pod"));
  await new Promise<void>((resolve) => server.listen({ host: "127.91.97.9", port: 0 }, resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  const port = typeof bound === "object" ? (bound?.port ?? 0) : 0;
  const host = testHost();
  host.files.makeDirectory("/proc/7/net");
  const listening = (ports: readonly number[]) => {
    const lines = ports.map(
      (number) => `   0: 00000000:${number.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A `,
    );
    host.files.write("/proc/7/net/tcp", ["header", ...lines, ""].join("\n"));
  };
  const mirror = startPortMirror({
    host,
    connect: (_, to) => connectDirectly("127.91.97.9", to),
    listen: () => Promise.reject(new Error("not available")),
    bindInside: () => bindDirectly("0.0.0.0", 0),
    machineAddresses: () => [],
  });
  onTestFinished(mirror.stop);
  listening([port]);
  mirror.add("127.91.97.2", "7");
  mirror.add("127.91.97.2", "7");
  await expect.poll(() => greetingAt("127.91.97.2", port)).toBe("of the pod");
  listening([]);
  await host.advance(250);
  await expect.poll(() => greetingAt("127.91.97.2", port)).toBe("ECONNREFUSED");
  listening([port]);
  await host.advance(250);
  await expect.poll(() => greetingAt("127.91.97.2", port)).toBe("of the pod");
  mirror.remove("127.91.97.2");
  await expect.poll(() => greetingAt("127.91.97.2", port)).toBe("ECONNREFUSED");
  await host.advance(250);
  await expect.poll(() => greetingAt("127.91.97.2", port)).toBe("ECONNREFUSED");
});

test("mirrors the ports of a pod that receive datagrams", async () => {
  const host = testHost();
  host.files.makeDirectory("/proc/7/net");
  host.files.write("/proc/7/net/udp", "header\n   0: 00000000:46B8 00000000:0000 07 \n");
  const bindError = (address: string) =>
    bindDirectly(address, 0x46b8).then(
      (socket) => void socket.close(),
      ({ code }) => code,
    );
  const mirror = startPortMirror({
    host,
    connect: () => Promise.reject(new Error("not available")),
    listen: () => Promise.reject(new Error("not available")),
    bindInside: () => bindDirectly("0.0.0.0", 0),
    machineAddresses: () => [],
  });
  onTestFinished(mirror.stop);
  mirror.add("127.91.97.3", "7");
  await expect.poll(() => bindError("127.91.97.3")).toBe("EADDRINUSE");
  mirror.remove("127.91.97.3");
  await expect.poll(() => bindError("127.91.97.3")).toBe(undefined);
});
