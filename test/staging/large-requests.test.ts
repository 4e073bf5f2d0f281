import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { openFakeCluster } from "./fake-cluster.ts";
import { alone, contentOf, defaultOwner, entryOf, type Staging, someBytes, startStaging } from "./staging-program.ts";

const { digest, size } = contentOf(someBytes(10));
const entries = (count: number, name = "a") =>
  Array.from({ length: count }, (_, index) => entryOf(`${name}${index}`, { digest, size }));
const post = (staging: Staging, body: string, route = "bundles", headers: Record<string, string> = {}) =>
  staging.sendRequest("POST", `/api/v1/${route}`, { body, headers });
const bundle = (fields: object) => JSON.stringify({ owner: defaultOwner, entries: [], ...fields });

describe("JSON bodies", () => {
  test("millions of entries neither end a server with little memory nor make a long response", async () => {
    const staging = await startStaging(alone, { env: { NODE_OPTIONS: "--max-old-space-size=64" } });
    for (const item of ["{}", "[]", "0", '{"":0}']) {
      const list = `[${`${item},`.repeat(5_000_000 / (item.length + 1))}${item}]`;
      for (const [route, body] of [
        ["bundles", `{"owner":{},"entries":${list}}`],
        ["blobs:missing", `{"namespace":"team","blobs":${list}}`],
      ] as const) {
        const rejected = await post(staging, body, route);
        expect([rejected.status, rejected.code()]).toEqual([413, "TOO_LARGE"]);
        expect(rejected.message()).toBe("The body has more than 100000 values.");
      }
    }
    expect((await staging.sendRequest("GET", "/healthz")).status).toBe(200);
  });

  test("the first invalid fields are reported, and the others are counted", async () => {
    const staging = await startStaging();
    const invalid = entries(50).map((entry, index) => ({ ...entry, kind: `${index} ${"k".repeat(10_000)}` }));
    const rejected = await post(staging, bundle({ entries: invalid }));
    expect([rejected.status, rejected.code()]).toEqual([400, "BAD_REQUEST"]);
    expect(rejected.message()).toMatch(
      /^The body is invalid\. entries\.0\.kind: .*entries\.19\.kind: .*; and 30 more$/,
    );
    expect(rejected.body.length).toBeLessThan(15_000);
    const named = await post(staging, bundle({ entries: entries(50, "/") }));
    expect(named.message()).toMatch(/^entries\.0: .*entries\.19: .*; and 30 more$/);
  });

  test.each([
    ["the body", "bundles", bundle({ more: "x".repeat(5 * 1024 * 1024) }), "The JSON body exceeds 5242880 bytes."],
    ["a body without a list", "uploads", `"${"x".repeat(64 * 1024)}"`, "The JSON body exceeds 65536 bytes."],
    ["the depth", "uploads", "[".repeat(65), "The body has more than 64 nested objects and arrays."],
    ["a name", "uploads", `{"${"x".repeat(1025)}":1}`, "The body has a field name of more than 1024 bytes."],
  ])("the size of %s is limited", async (_what, route, body, message) => {
    const staging = await startStaging();
    const rejected = await post(staging, body, route);
    expect([rejected.status, rejected.message()]).toEqual([413, message]);
    const chunked = await post(staging, body, route, { "transfer-encoding": "chunked" });
    expect(chunked.status).toBe(413);
  });

  test.each([
    ["entries", bundle({ entries: entries(10_001) }), /^The body is invalid. entries: must have at most 10000 items$/],
    [
      "labels",
      bundle({ owner: { ...defaultOwner, labels: Object.fromEntries(entries(101).map(({ name }) => [name, "x"])) } }),
      /^The body is invalid. owner.labels: must have at most 100 labels$/,
    ],
    [
      "a label's value",
      bundle({ owner: { ...defaultOwner, labels: { a: "x".repeat(64) } } }),
      /^The body is invalid. owner.labels.a: /,
    ],
  ])("the number of %s is limited", async (_what, body, message) => {
    const rejected = await post(await startStaging(), body);
    expect([rejected.status, rejected.message()]).toEqual([400, expect.stringMatching(message)]);
  });

  test("the largest valid bundle is accepted", async () => {
    const staging = await startStaging();
    const made = await post(staging, bundle({ entries: entries(10_000, "n".repeat(250)) }));
    expect([made.status, made.code()]).toEqual([409, "MISSING_BLOBS"]);
  });

  test("clients that leave while they send return their memory to the others", async () => {
    const staging = await startStaging();
    const head = "POST /api/v1/bundles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n";
    for (let round = 0; round < 5; round += 1) {
      const sockets = Array.from({ length: 6 }, () => connect(staging.port, "127.0.0.1"));
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(`${head}x`, resolve))));
      for (const socket of sockets) socket.resetAndDestroy();
      const made = await post(staging, bundle({}), "bundles", { "transfer-encoding": "chunked" });
      expect(made.status).toBe(201);
    }
  });
});

test.each([
  ["POST", "/api/v1/bundles"],
  ["POST", "/api/v1/uploads"],
  ["POST", "/api/v1/blobs:missing"],
  ["POST", "/api/v1/bundles/00000000-0000-4000-8000-000000000000:renew"],
  ["PATCH", "/api/v1/uploads/00000000-0000-4000-8000-000000000000"],
  ["POST", "/api/v0/resources"],
  ["POST", "/unknown"],
])("%s %s is rejected before the body is sent if the caller is unknown", async (method, path) => {
  const cluster = await openFakeCluster();
  const staging = await startStaging([...cluster.options]);
  const socket = connect(staging.port, "127.0.0.1");
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n`);
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk;
  });
  await new Promise((resolve) => socket.on("close", resolve));
  expect(response).toMatch(path === "/unknown" ? /^HTTP\/1.1 404 / : /^HTTP\/1.1 401 /);
});
