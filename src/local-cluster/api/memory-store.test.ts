import { describe, expect, test } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import type { Store, StoreEvent } from "./store.ts";

const now = Date.UTC(2026, 0, 31, 12);

function storeAt(ms: number): Store {
  let ids = 0;
  return createMemoryStore({
    clock: { now: () => ms, monotonic: () => ms, sleep: async () => {}, after: () => () => {} },
    random: { bytes: (count) => new Uint8Array(count), uuid: () => `uid-${++ids}`, fraction: () => 0 },
  });
}

function thing(name: string, fields: object = {}, namespace = "default") {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, ...fields } };
}

function recorded(store: Store): StoreEvent[] {
  const events: StoreEvent[] = [];
  store.subscribe((event) => events.push(event));
  return events;
}

describe("a store in memory", () => {
  test("sets uid, creation time and a revision that counts up from a high number", () => {
    const store = storeAt(now);
    const first = store.create("configmaps", thing("a"));
    const second = store.create("configmaps", thing("b", { creationTimestamp: "never" }));
    expect(first?.metadata).toMatchObject({ uid: "uid-1", creationTimestamp: "2026-01-31T12:00:00Z" });
    expect(second?.metadata.uid).toBe("uid-2");
    expect(Number(first?.metadata.resourceVersion)).toBeGreaterThan(1e9);
    expect(Number(second?.metadata.resourceVersion)).toBe(Number(first?.metadata.resourceVersion) + 1);
  });

  test("rejects a name that exists in the same namespace", () => {
    const store = storeAt(now);
    store.create("configmaps", thing("a"));
    expect(store.create("configmaps", thing("a"))).toBeUndefined();
    expect(store.create("configmaps", thing("a", {}, "other"))).toBeDefined();
    expect(store.create("secrets", thing("a"))).toBeDefined();
  });

  test("lists by namespace and name in the order of etcd's keys", () => {
    const store = storeAt(now);
    for (const [name, namespace] of [
      ["b", "ns"],
      ["a", "ns"],
      ["c", "ns-1"],
    ] as const) {
      store.create("configmaps", thing(name, {}, namespace));
    }
    expect(store.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["c", "a", "b"]);
    expect(store.list("configmaps", "ns").map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    store.remove("configmaps", "ns", "a");
    expect(store.list("configmaps", "ns").map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("keeps the revision and notifies no listener when an update changes nothing", () => {
    const store = storeAt(now);
    const created = store.create("configmaps", thing("a"));
    const events = recorded(store);
    expect(store.update("configmaps", "default", "a", (current) => ({ ...current }))).toBe(created);
    expect(events).toEqual([]);
  });

  test("keeps the identity whatever an update writes", () => {
    const store = storeAt(now);
    store.create("configmaps", thing("a"));
    const changed = store.update("configmaps", "default", "a", () => thing("a", { uid: "x", labels: { b: "c" } }));
    expect(changed?.metadata).toMatchObject({ uid: "uid-1", labels: { b: "c" } });
  });

  test("reports an object as terminating, then as deleted, when an update leaves no grace period", () => {
    const store = storeAt(now);
    store.create("pods", thing("a"));
    const events = recorded(store);
    const end = { deletionTimestamp: "2026-01-31T12:00:00Z", deletionGracePeriodSeconds: 0 };
    store.update("pods", "default", "a", () => thing("a", end));
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
    expect(events[1]?.object.metadata.resourceVersion).toBe(String(events[1]?.revision));
    expect(store.get("pods", "default", "a")).toBeUndefined();
  });

  test("only deletes when the last finalizer of a terminating object is removed", () => {
    const store = storeAt(now);
    const end = { deletionTimestamp: "2026-01-31T12:00:00Z", deletionGracePeriodSeconds: 0 };
    store.create("pods", thing("a", { ...end, finalizers: ["x/y"] }));
    const events = recorded(store);
    store.update("pods", "default", "a", () => thing("a", end));
    expect(events.map(({ type }) => type)).toEqual(["DELETED"]);
  });

  test("notifies every listener of every event in order, even if a listener writes", () => {
    const store = storeAt(now);
    store.subscribe(({ object }) => {
      if (object.metadata.name === "a") store.create("configmaps", thing("b"));
    });
    const events = recorded(store);
    store.create("configmaps", thing("a"));
    expect(events.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
  });

  test("returns the events after a revision until they are too old", { tags: "long" }, () => {
    const store = storeAt(now);
    const start = store.revision();
    for (let index = 0; index < 30_000; index++) store.create("configmaps", thing(`c${index}`));
    expect(store.since(start)).toBeUndefined();
    expect(store.since(store.revision() - 2)?.map(({ object }) => object.metadata.name)).toEqual(["c29998", "c29999"]);
    expect(store.since(store.revision() - 5_000)?.length).toBe(5_000);
  });
});
