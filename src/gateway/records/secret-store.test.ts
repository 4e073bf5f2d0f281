import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, socketError, testApi } from "../../kube-client/test-api.ts";
import type { ApplicationRecord } from "../model/application.ts";
import { testRecord } from "../model/test-application.ts";
import { secretStore } from "./secret-store.ts";

const random = { bytes: (count: number) => new Uint8Array(count), uuid: () => "uuid", fraction: () => 0 };
const collection = "/api/v1/namespaces/jobs/secrets";

function setUp(fault: Fault) {
  const clock = testClock(0);
  const api = testApi(fault);
  const { transport } = api;
  const client = kubeClient({ transport, server: "https://api", clock, log: () => {}, requestTimeoutMs: 1000 });
  const call = { client, host: { clock, random }, namespace: "jobs", gateway: "gateway", onUnreadable: () => {} };
  const { signal } = new AbortController();
  return { clock, api, store: secretStore({ ...call, signal }) };
}

function record(number: number, changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  const names = { key: `api-${number}`, id: String(number), podName: `api-${number}-driver` };
  return testRecord({ ...names, acceptedMs: number, number, ...changes });
}

test("a record whose response was lost is removed, because its client does not know it", async () => {
  let isLost = true;
  const { clock, api, store } = setUp(({ method, body }) => {
    if (method !== "POST" || !isLost) return undefined;
    isLost = false;
    api.put(`${collection}/gateway-api-1`, JSON.parse(String(body)));
    throw socketError("ECONNRESET");
  });
  await expect(clock.settle(store.create(record(1)))).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_UNREACHABLE" });
  await expect(store.create(record(1))).rejects.toThrow("not known yet");
  expect(api.objects.size).toBe(1);
  await clock.advance(2000);
  expect(api.objects.size).toBe(0);
  expect(await store.create(record(1))).toBe(true);
});

test("a record whose removal failed stays until it is removed again", async () => {
  let isDown = true;
  const { clock, api, store } = setUp(({ method }) => {
    if (isDown && method === "DELETE") throw socketError("ECONNREFUSED");
    return undefined;
  });
  await store.create(record(1));
  await expect(clock.settle(store.remove("api-1"))).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_UNREACHABLE" });
  isDown = false;
  await clock.advance(600_000);
  expect(await store.list()).toEqual([record(1)]);
  await store.remove("api-1");
  expect(api.objects.size).toBe(0);
});

/** Loses the first deletion on its way: it reaches the API when `arrive` is called. */
function setUpLateDeletion(fault: Fault = () => undefined) {
  let late: ApiRequest | undefined;
  const all = setUp((request, number) => {
    if (request.method !== "DELETE" || late !== undefined) return fault(request, number);
    late = request;
    throw socketError("ECONNRESET");
  });
  const arrive = async () => {
    if (late === undefined) throw new Error("Nothing was deleted.");
    expect((await all.api.transport(late)).status).toBe(409);
  };
  return { ...all, arrive };
}

test("a deletion that arrives late does not delete a record that was changed or created afterwards", async () => {
  let isDown = false;
  const { clock, store, arrive } = setUpLateDeletion(({ method }) => {
    if (isDown && method === "DELETE") throw socketError("ECONNREFUSED");
    return undefined;
  });
  await store.create(record(1));
  isDown = true;
  await expect(clock.settle(store.remove("api-1"))).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_UNREACHABLE" });
  await store.update(record(1, { priority: 1 }));
  isDown = false;
  await arrive();
  expect(await store.list()).toMatchObject([{ priority: 1 }]);
  await store.remove("api-1");
  await store.create(record(1, { priority: 2 }));
  await arrive();
  expect(await store.list()).toMatchObject([{ priority: 2 }]);
});

test("a deletion of a record whose response was lost does not delete a later one", async () => {
  let isLost = true;
  const { clock, api, store, arrive } = setUpLateDeletion(({ method, body }) => {
    if (method !== "POST" || !isLost) return undefined;
    isLost = false;
    api.put(`${collection}/gateway-api-1`, JSON.parse(String(body)));
    throw socketError("ECONNRESET");
  });
  await expect(clock.settle(store.create(record(1)))).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_UNREACHABLE" });
  await clock.advance(60_000);
  expect(api.objects.size).toBe(0);
  await store.create(record(1, { priority: 1 }));
  await arrive();
  expect(await store.list()).toMatchObject([{ priority: 1 }]);
});

test("a record is removed even if the response of its latest update was lost", async () => {
  const { clock, api, store } = setUp(({ method, body }) => {
    if (method !== "PATCH") return undefined;
    const { data } = JSON.parse(String(body));
    for (const [path, object] of api.objects) api.put(path, Object.assign(object, { data }));
    throw socketError("ECONNRESET");
  });
  await store.create(record(1));
  await expect(clock.settle(store.update(record(1, { priority: 1 })))).rejects.toThrow();
  await store.remove("api-1");
  expect(api.objects.size).toBe(0);
});

test("a record that exists already is rejected, except the same one of an earlier attempt of the request", async () => {
  const { store } = setUp(() => undefined);
  expect(await store.create(record(1))).toBe(true);
  expect(await store.create(record(1))).toBe(true);
  expect(await store.create(record(1, { podName: "other" }))).toBe(false);
});

test("updates of a record are sent in order, and name the version that they replace", async () => {
  const versions: unknown[] = [];
  const { store } = setUp(({ method, body }) => {
    if (method === "PATCH") versions.push(JSON.parse(String(body)).metadata.resourceVersion);
    return undefined;
  });
  await store.create(record(1));
  await Promise.all([store.update(record(1, { priority: 1 })), store.update(record(1, { priority: 2 }))]);
  expect(versions).toEqual([expect.any(String), expect.any(String)]);
  expect(versions[0]).not.toBe(versions[1]);
  expect(await store.list()).toMatchObject([{ priority: 2 }]);
});

test("removes only records that were stored late: after they were listed, and by another process", async () => {
  const { store, api } = setUp(() => undefined);
  await store.create(record(1));
  const unreadable = { apiVersion: "v1", kind: "Secret", metadata: { name: "gateway-api-2", namespace: "jobs" } };
  api.put(`${collection}/gateway-api-2`, unreadable);
  await store.list();
  const late = { ...unreadable, metadata: { ...unreadable.metadata, name: "gateway-api-3" } };
  api.put(`${collection}/gateway-api-3`, late);
  const [created, removed] = await Promise.all([store.create(record(4)), store.removeLate()]);
  expect([created, removed]).toEqual([true, ["api-3"]]);
  expect([...api.objects.keys()]).toEqual(["1", "2", "4"].map((number) => `${collection}/gateway-api-${number}`));
});
