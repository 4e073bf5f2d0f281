import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { sharedConnections } from "./shared-connections.ts";
import { testApi } from "./test-api.ts";

const pods = { type: resourceTypes.pod, namespace: "ns" };

/** Ways to an API in memory, counted. */
function counted() {
  const api = testApi();
  const events: string[] = [];
  const connections = sharedConnections(async ({ server }) => {
    events.push(`open ${server.host}`);
    return { transport: api.transport, close: () => events.push("close") };
  });
  return { api, events, connections };
}

function optionsFor(token: string, server = "https://api.test"): ConnectOptions {
  const access = { kind: "known", authority: "CA", token } as const;
  return { server, access, log: () => {}, requestTimeoutMs: 0, connectionTimeoutMs: 0 };
}

test("submissions share connections with their own accounts until close", async () => {
  const { api, events, connections } = counted();
  const host = testHost();
  const clients = await Promise.all(["one", "two"].map((token) => connections.openClient(host, optionsFor(token))));
  for (const client of clients) await client.list(pods);
  for (const client of clients) client.close();
  expect(events).toEqual(["open api.test"]);
  expect(api.requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer one", "Bearer two"]);
  connections.close();
  await Promise.resolve();
  expect(events).toEqual(["open api.test", "close"]);
});

test("another server has its own connections", async () => {
  const { events, connections } = counted();
  await connections.openClient(testHost(), optionsFor("t"));
  await connections.openClient(testHost(), optionsFor("t", "https://other.test"));
  expect(events).toEqual(["open api.test", "open other.test"]);
});

test("the next submission retries a connection that could not be opened", async () => {
  let tries = 0;
  const connections = sharedConnections(async () => {
    tries += 1;
    throw new Error("no");
  });
  for (const count of [1, 2]) {
    await expect(connections.openClient(testHost(), optionsFor("t"))).rejects.toThrow("no");
    expect(tries).toBe(count);
  }
});
