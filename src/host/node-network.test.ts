import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "./node-host.ts";

const { network } = nodeHost();

test("resolves an address to itself, and an unknown name to nothing", async () => {
  expect(await network.lookUp("127.0.0.1")).toEqual(["127.0.0.1"]);
  expect(await network.lookUp("no name")).toEqual([]);
});

test("opens a free port repeatedly, but not a used port or an address of another machine", async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
    }),
  );
  expect(await network.tryListening("127.0.0.1", port)).toBe("EADDRINUSE");
  expect(await network.tryListening("127.0.0.1", 0)).toBeUndefined();
  expect(await network.tryListening("192.0.2.1", 0)).toBe("EADDRNOTAVAIL");
});

test("the way to this machine begins at this machine", async () => {
  expect(await network.addressToward("127.0.0.1")).toBe("127.0.0.1");
  expect(await network.addressToward("no name")).toBeUndefined();
});
