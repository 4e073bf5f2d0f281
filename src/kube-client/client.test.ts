import { describe, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "./client.ts";
import { refused, testApi } from "./test-api.ts";
import { driverPod, driverTarget, errorOf, podType, testClient } from "./test-client.ts";

describe("a client", () => {
  test("creates, applies, patches, gets, lists and deletes in the API's formats", async () => {
    const { api, client } = testClient();
    expect((await client.create({ type: podType, namespace: "ns", object: driverPod })).metadata?.uid).toBe("uid-1");
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } };
    const mapType = { type: resourceTypes.configMap, namespace: "ns" };
    expect((await client.apply({ ...mapType, object: map })).created).toBe(true);
    expect((await client.apply({ ...mapType, object: map })).created).toBe(false);
    await client.patch({ ...driverTarget, patch: { metadata: { labels: { a: "b" } } } });
    expect(await client.get(driverTarget)).toMatchObject({ kind: "Pod" });
    expect((await client.list({ type: podType, namespace: "ns", labelSelector: "a=b" })).items).toHaveLength(1);
    expect(await client.delete({ ...driverTarget, uid: "uid-1", gracePeriodSeconds: 0 })).toBe(true);
    expect(await client.delete(driverTarget)).toBe(false);
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/namespaces/ns/pods?fieldManager=firesteel",
      "PATCH /api/v1/namespaces/ns/configmaps/m?fieldManager=firesteel&force=true",
      "PATCH /api/v1/namespaces/ns/configmaps/m?fieldManager=firesteel&force=true",
      "PATCH /api/v1/namespaces/ns/pods/drv?fieldManager=firesteel",
      "GET /api/v1/namespaces/ns/pods/drv",
      "GET /api/v1/namespaces/ns/pods?labelSelector=a%3Db&limit=500",
      "DELETE /api/v1/namespaces/ns/pods/drv",
      "DELETE /api/v1/namespaces/ns/pods/drv",
    ]);
    expect(api.requests.map(({ headers }) => headers["content-type"])).toEqual([
      "application/json",
      "application/apply-patch+yaml",
      "application/apply-patch+yaml",
      "application/merge-patch+json",
      undefined,
      undefined,
      "application/json",
      "application/json",
    ]);
    expect(JSON.parse(String(api.requests[6]?.body))).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      gracePeriodSeconds: 0,
      preconditions: { uid: "uid-1" },
    });
  });

  test("lists in pages, and starts again when the continue token has expired", async () => {
    const item = { metadata: { name: "a" } };
    const page = (items: object[] | null, next?: string) => ({
      status: 200,
      body: { items, metadata: { resourceVersion: "9", ...(next && { continue: next }) } },
    });
    const pages = [page([item], "c1"), refused(410, "expired"), page([item], "c2"), page(null)];
    const { api, client } = testClient((_, number) => pages[number - 1]);
    expect(await client.list({ type: podType })).toEqual({ items: [item], resourceVersion: "9" });
    expect(api.requests[3]?.path).toBe("/api/v1/pods?continue=c2&limit=500");
  });

  const pod = (name: string) => ({ metadata: { name, managedFields: [] }, spec: { containers: [] } });
  const podPage = (items: readonly object[], next = "") => ({
    status: 200,
    body: { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9", continue: next }, items },
  });

  test("fetches the next page of a long list while it reads one", async () => {
    const names = [["a"], ["b", "c"], ["d"], []];
    const requested = names.map(() => {
      let arrive = () => {};
      const arrival = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      return { arrive, arrival };
    });
    /** Sends the items of a page after the request for the next page. */
    async function* page(index: number) {
      const next = requested[index + 1];
      const token = next === undefined ? "" : `c${index + 1}`;
      const json = JSON.stringify(podPage((names[index] ?? []).map(pod), token).body);
      const start = json.indexOf('"items":[') + '"items":['.length;
      yield Buffer.from(json.slice(0, start));
      await next?.arrival;
      yield Buffer.from(json.slice(start));
    }
    const { api, client } = testClient((_, number) => {
      requested[number - 1]?.arrive();
      return { status: 200, stream: page(number - 1) };
    });
    const select = ({ metadata }: Pod) => metadata?.name;
    expect(await client.listSelected({ type: podType }, select)).toEqual(["a", "b", "c", "d"]);
    expect(api.requests.map(({ path }) => path.split("?")[1])).toEqual([
      "limit=500",
      "continue=c1&limit=500",
      "continue=c2&limit=500",
      "continue=c3&limit=500",
    ]);
  });

  test.each([
    ["a list of something else", podPage([pod("b"), ["c"]]), "items[1] is not an object"],
    ["a number", podPage([pod("b"), [7]]), "items[1] is not an object"],
    [
      "a wrong type",
      podPage([pod("b"), { metadata: {}, spec: { containers: "none" } }]),
      "items[1].spec.containers is a string, not a list",
    ],
    [
      "no JSON",
      { status: 200, body: '{"items":[{"metadata":{}}{"metadata":{}}]}' },
      "it is not JSON, or it is cut off",
    ],
    ["a cut", { status: 200, body: '{"items":[{"metadata":{"name":"b"}}' }, "it is not JSON, or it is cut off"],
    [
      "other metadata",
      { status: 200, body: '{"metadata":7,"items":[{"metadata":{}}]}' },
      "metadata is a number, not an object",
    ],
  ])("rejects a later page with %s", async (_, page, reason) => {
    const pages = [podPage([pod("a")], "c1"), page];
    const { client } = testClient((_request, number) => pages[number - 1]);
    const error = await errorOf(client.list({ type: podType }));
    expect(error).toMatchObject({ code: "SUBMIT_ERR_KUBE_RESPONSE" });
    expect(error.message).toContain(reason);
  });

  test("stops at the limit of a long list", async () => {
    const pages = [podPage([pod("a")], "c1"), podPage([pod("b")], "c2"), podPage([pod("c")], "c3")];
    const { api, client } = testClient((_, number) => pages[number - 1]);
    expect((await client.list({ type: podType, limit: 2 })).items).toHaveLength(2);
    expect(api.requests).toHaveLength(2);
  });
});

describe("a failing call", () => {
  test.each([
    ["a b", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["${spark.none}", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["100%", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["ns", "{drv}", "SUBMIT_ERR_KUBE_NAME"],
  ])("with names %j and %j is rejected: they are invalid in a URI", async (namespace, name, code) => {
    const { api, client } = testClient();
    expect((await errorOf(client.get({ type: podType, namespace, name }))).code).toBe(code);
    expect(api.requestLines).toEqual([]);
  });

  test("does not escape names with Spark's behavior, except to delete", async () => {
    const clock = testClock(0);
    const api = testApi();
    const client = kubeClient({
      ...{ transport: api.transport, clock, server: "https://api:6443", requestTimeoutMs: 10_000 },
      ...{ log: () => {}, writesNamesRaw: true },
    });
    const call = { type: podType, namespace: "a#b", name: "drv" };
    await errorOf(client.get(call));
    await client.delete(call);
    expect(api.requestLines).toEqual(["GET /api/v1/namespaces/a", "DELETE /api/v1/namespaces/a%23b/pods/drv"]);
  });
});
