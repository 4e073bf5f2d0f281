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
  test("gives uid, creation time and a revision that counts up from a high number", () => {
    const store = storeAt(now);
    const first = store.create("configmaps", thing("a"));
    const second = store.create("configmaps", thing("b", { creationTimestamp: "never" }));
    expect(first?.metadata).toMatchObject({ uid: "uid-1", creationTimestamp: "2026-01-31T12:00:00Z" });
    expect(second?.metadata.uid).toBe("uid-2");
    expect(Number(first?.metadata.resourceVersion)).toBeGreaterThan(1e9);
    expect(Number(second?.metadata.resourceVersion)).toBe(Number(first?.metadata.resourceVersion) + 1);
  });

  test("refuses a taken name, in the same namespace only", () => {
    const store = storeAt(now);
    store.create("configmaps", thing("a"));
    expect(store.create("configmaps", thing("a"))).toBeUndefined();
    expect(store.create("configmaps", thing("a", {}, "other"))).toBeDefined();
    expect(store.create("secrets", thing("a"))).toBeDefined();
  });

  test("lists by namespace and name, as the keys of a cluster sort", () => {
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

  test("keeps the revision and tells nobody when an update says the same", () => {
    const store = storeAt(now);
    const created = store.create("configmaps", thing("a"));
    const events = recorded(store);
    expect(store.update("configmaps", "default", "a", (current) => ({ ...current }))).toBe(created);
    expect(events).toEqual([]);
  });

  test("keeps identity whatever an update writes", () => {
    const store = storeAt(now);
    store.create("configmaps", thing("a"));
    const changed = store.update("configmaps", "default", "a", () =>
      thing("a", { uid: "x", labels: { b: "c" } }),
    );
    expect(changed?.metadata).toMatchObject({ uid: "uid-1", labels: { b: "c" } });
  });

  test("shows an object ending, then gone, when an update leaves it no grace", () => {
    const store = storeAt(now);
    store.create("pods", thing("a"));
    const events = recorded(store);
    const end = { deletionTimestamp: "2026-01-31T12:00:00Z", deletionGracePeriodSeconds: 0 };
    store.update("pods", "default", "a", () => thing("a", end));
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
    expect(events[1]?.object.metadata.resourceVersion).toBe(String(events[1]?.revision));
    expect(store.get("pods", "default", "a")).toBeUndefined();
  });

  test("only deletes when the last finalizer of an ending object goes", () => {
    const store = storeAt(now);
    const end = { deletionTimestamp: "2026-01-31T12:00:00Z", deletionGracePeriodSeconds: 0 };
    store.create("pods", thing("a", { ...end, finalizers: ["x/y"] }));
    const events = recorded(store);
    store.update("pods", "default", "a", () => thing("a", end));
    expect(events.map(({ type }) => type)).toEqual(["DELETED"]);
  });

  test("tells every listener every event in order, though a listener writes", () => {
    const store = storeAt(now);
    store.subscribe(({ object }) => {
      if (object.metadata.name === "a") store.create("configmaps", thing("b"));
    });
    const events = recorded(store);
    store.create("configmaps", thing("a"));
    expect(events.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
  });

  test("knows the events after a revision until they are too old", () => {
    const store = storeAt(now);
    const start = store.revision();
    for (let index = 0; index < 30_000; index++) store.create("configmaps", thing(`c${index}`));
    expect(store.since(start)).toBeUndefined();
    expect(store.since(store.revision() - 2)?.map(({ object }) => object.metadata.name)).toEqual([
      "c29998",
      "c29999",
    ]);
    expect(store.since(store.revision() - 5_000)?.length).toBe(5_000);
  });
});
