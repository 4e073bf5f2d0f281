import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { Authorize } from "./authenticate.ts";
import { gatewayListener } from "./serve-gateway.ts";
import { serviceProtocol, unknownPaths } from "./service-protocol.ts";

/** Starts a gateway that rejects all users, and whose permissions cannot be verified. */
async function start(): Promise<(path: string) => Promise<number>> {
  const { clock } = testHost();
  const authorize: Authorize = async ({ user }) => {
    if (user !== undefined) throw new Error("no cluster");
    return { user, allows: () => false, canReadSome: false };
  };
  const listener = gatewayListener({
    ...{ clock, log: () => {}, prefix: "/spark", maxBodyBytes: 1000, fallback: () => unknownPaths, authorize },
    protocols: () => [serviceProtocol({ unreadyReasons: () => [], metrics: async () => undefined })],
    authenticate: async () => ({ kind: "rejected", rejection: { status: 401, message: "no user" } }),
  });
  const server = createServer((request, response) => void listener({ request, response }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return async (path) => (await fetch(`http://127.0.0.1:${port}/spark${path}`)).status;
}

test.each([
  ["/healthz", 200],
  ["/readyz", 200],
  ["/metrics", 401],
  ["/batches", 401],
])("%s responds with %d without a user: health checks need none", async (path, status) => {
  const send = await start();
  expect(await send(path)).toBe(status);
});
