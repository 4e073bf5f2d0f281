/** @module-tag long */

import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";
import { configMap, maps, type Received, send } from "./test-send.ts";

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";

// Expected responses are those of Kubernetes 1.35.4.
test("a change of a large immutable list is printed without searching for the shortest difference", async () => {
  const env = (value: string) => Array.from({ length: 3_000 }, (_, index) => ({ name: `e${index}`, value }));
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "x", env: env("1") }] } };
  const pods = "/api/v1/namespaces/default/pods";
  const api = testApi();
  expect((await send(api, "POST", pods, JSON.stringify(pod))).status).toBe(201);
  const change = { spec: { containers: [{ name: "a", env: env("2") }] } };
  const { status, message } = await send(api, "PATCH", `${pods}/p`, JSON.stringify(change), strategicPatch);
  expect([status, message.slice(0, 30)]).toEqual([422, 'Pod "p" is invalid: spec: Forb']);
});

test("an object is stored if etcd would store it", async () => {
  const api = testApi();
  const annotated = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        op: "add",
        path: "/metadata/finalizers/-",
        value: `a.b/${"x".repeat(40)}${index}`,
      })),
    );
  await send(api, "POST", maps, configMap("", ',"finalizers":["a/b"]'));
  const statuses: Received[] = [];
  for (let round = 0; round < 5; round += 1) {
    statuses.push(await send(api, "PATCH", `${maps}/c`, annotated(9_000), jsonPatch));
  }
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 500, 500]);
  expect(statuses[4]?.message).toBe("etcdserver: request is too large");
});

test("ten thousand errors of an object are reported", async () => {
  const labels = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`-u${index}`, "1"])));
  const { status, message } = await send(testApi(), "POST", maps, configMap("", `,"labels":${labels(20_000)}`));
  expect([status, message.endsWith(", and 10000 more errors]")]).toEqual([422, true]);
});

test("lists of 10,000 items are compared without comparing each with each", async () => {
  const api = testApi();
  const gates = Array.from({ length: 10_000 }, (_, index) => ({ name: `g/${index}` }));
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "x" }], schedulingGates: gates } };
  expect((await send(api, "POST", "/api/v1/namespaces/default/pods", JSON.stringify(pod))).status).toBe(201);
  const finalizers = gates.map(({ name }) => name);
  expect((await send(api, "POST", maps, JSON.stringify({ metadata: { name: "c", finalizers } }))).status).toBe(201);
  const reversed = JSON.stringify({ metadata: { finalizers: finalizers.toReversed() } });
  expect((await send(api, "PATCH", `${maps}/c`, reversed, mergePatch)).status).toBe(200);
  const owner = (uid: string) => ({ apiVersion: "v1", kind: "Pod", name: "p", uid });
  const ownerReferences = [...gates.map(({ name }) => owner(name)), owner("g/1")];
  const owned = await send(api, "POST", maps, JSON.stringify({ metadata: { name: "d", ownerReferences } }));
  expect([owned.status, owned.warnings.length]).toEqual([201, 1]);
  const ports = gates.map((_, index) => ({ port: index + 1, name: `p${index}` }));
  const service = { metadata: { name: "s" }, spec: { ports } };
  const services = "/api/v1/namespaces/default/services";
  expect((await send(api, "POST", services, JSON.stringify(service))).status).toBe(201);
  const changed = { spec: { ports: ports.map((port) => ({ ...port, targetPort: 80 })) } };
  expect((await send(api, "PATCH", `${services}/s`, JSON.stringify(changed), mergePatch)).status).toBe(200);
  const limits = { metadata: { name: "l" }, spec: { limits: [...gates, {}].map(() => ({ type: "Pod" })) } };
  const ranges = "/api/v1/namespaces/default/limitranges";
  expect((await send(api, "POST", ranges, JSON.stringify(limits))).message).toContain(
    "spec.limits[10000].type: Duplicate value",
  );
});

test("a quantity has at most 2,000 characters, unlike in Kubernetes", async () => {
  const quota = (cpu: string) => JSON.stringify({ metadata: { name: "q" }, spec: { hard: { cpu } } });
  const path = "/api/v1/namespaces/default/resourcequotas";
  expect((await send(testApi(), "POST", path, quota("9".repeat(2_000)))).status).toBe(201);
  expect((await send(testApi(), "POST", path, quota("9".repeat(3_000_000)))).status).toBe(400);
  expect((await send(testApi(), "POST", path, quota("1e-999999999"))).status).toBe(400);
});
