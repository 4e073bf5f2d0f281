import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { configMap, putConfigMaps, testCall } from "../test-call.ts";
import { watch } from "./watch.ts";

/** Opens a watch and returns a function that reads the given number of events as `[type, name]`. */
async function openWatch(api: TestApi, query = "") {
  const result = await watch(api.scope, testCall("configmaps", { query }));
  if (result.type !== "stream") throw new Error(`a ${result.type}`);
  const chunks = result.chunks[Symbol.asyncIterator]();
  return async (count: number): Promise<unknown[]> => {
    const events: unknown[] = [];
    while (events.length < count) {
      const { value, done } = await chunks.next();
      if (done === true) return [...events, "end"];
      const { type, object } = JSON.parse(Buffer.from(value).toString());
      events.push([type, object.metadata?.name ?? object.code ?? object.metadata?.annotations]);
    }
    return events;
  };
}

describe("a watch", () => {
  test("sends existing objects, then changes", async () => {
    const api = testApi();
    putConfigMaps(api, "a");
    const read = await openWatch(api, "fieldSelector=metadata.name!%3Dkube-root-ca.crt");
    putConfigMaps(api, "b");
    api.scope.store.update("configmaps", "default", "a", (map) => ({ ...map, data: { k: "v" } }));
    api.scope.store.remove("configmaps", "default", "b");
    expect(await read(4)).toEqual([
      ["ADDED", "a"],
      ["ADDED", "b"],
      ["MODIFIED", "a"],
      ["DELETED", "b"],
    ]);
  });

  test("resumes after a revision", async () => {
    const api = testApi();
    putConfigMaps(api, "a");
    const revision = api.scope.store.revision();
    putConfigMaps(api, "b");
    const read = await openWatch(api, `resourceVersion=${revision}`);
    expect(await read(1)).toEqual([["ADDED", "b"]]);
  });

  test("shows objects that start or stop matching its selector as added or deleted", async () => {
    const api = testApi();
    api.put("configmaps", configMap("a"));
    const read = await openWatch(api, "labelSelector=x");
    const setLabels = (labels: object) =>
      api.scope.store.update("configmaps", "default", "a", (map) => ({
        ...map,
        metadata: { ...map.metadata, labels },
      }));
    setLabels({ x: "y" });
    setLabels({});
    expect(await read(2)).toEqual([
      ["ADDED", "a"],
      ["DELETED", "a"],
    ]);
  });

  test("reports an expired revision as an ERROR event and ends", async () => {
    const read = await openWatch(testApi(), "resourceVersion=1");
    expect(await read(2)).toEqual([["ERROR", 410], "end"]);
  });

  test("marks the end of the initial events and sends bookmarks", async () => {
    const api = testApi();
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const read = await openWatch(api, query);
    expect(await read(2)).toEqual([
      ["ADDED", "kube-root-ca.crt"],
      ["BOOKMARK", { "k8s.io/initial-events-end": "true" }],
    ]);
    await api.host.advance(60_000);
    expect(await read(1)).toEqual([["BOOKMARK", undefined]]);
  });

  test("sends tables whose columns are defined once, before all changes", async () => {
    const api = testApi();
    putConfigMaps(api, "a", "b");
    const call = testCall("configmaps", { query: "fieldSelector=metadata.name!%3Dkube-root-ca.crt" });
    const representation = { media: "json", view: "table", version: "v1" } as const;
    const result = await watch(api.scope, { ...call, representation });
    putConfigMaps(api, "c");
    if (result.type !== "stream") throw new Error(`a ${result.type}`);
    const tables: { columnDefinitions: unknown; rows: { cells: unknown[] }[] }[] = [];
    for await (const chunk of result.chunks) {
      tables.push(JSON.parse(Buffer.from(chunk).toString()).object);
      if (tables.length === 3) break;
    }
    expect(tables.map(({ rows }) => rows[0]?.cells[0])).toEqual(["a", "b", "c"]);
    expect(tables.map(({ columnDefinitions }) => columnDefinitions !== null)).toEqual([true, false, false]);
  });

  test("ends at its timeout and no longer counts as open", async () => {
    const api = testApi();
    const read = await openWatch(api, "timeoutSeconds=10&fieldSelector=metadata.name%3Dx");
    expect(api.scope.streams.size).toBe(1);
    const events = read(1);
    await api.host.advance(10_000);
    expect(await events).toEqual(["end"]);
    expect(api.scope.streams.size).toBe(0);
  });
});
