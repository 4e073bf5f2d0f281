/** @module-tag long */

import { describe, expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { configMap, putConfigMaps, testCall } from "../test-call.ts";
import { watch } from "./watch.ts";

describe("a watch", () => {
  test("sends any number of existing objects, with the revision at its start", async () => {
    const api = testApi();
    const names = Array.from({ length: 6_000 }, (_, index) => `m${index}`);
    putConfigMaps(api, ...names);
    const revision = api.scope.store.revision();
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const result = await watch(api.scope, testCall("configmaps", { query }));
    putConfigMaps(api, "late");
    if (result.type !== "stream") throw new Error(`a ${result.type}`);
    const events: { type: string; object: { metadata: { name: string; resourceVersion: string } } }[] = [];
    for await (const chunk of result.chunks) {
      events.push(JSON.parse(Buffer.from(chunk).toString()));
      if (events.length === 6_003) break;
    }
    expect(events[6_001]).toMatchObject({ type: "BOOKMARK", object: { metadata: { resourceVersion: `${revision}` } } });
    expect(events[6_002]).toMatchObject({ type: "ADDED", object: { metadata: { name: "late" } } });
  });

  test("that is not read is dropped", async () => {
    const api = testApi();
    const result = await watch(api.scope, testCall("configmaps"));
    let isDropped = false;
    if (result.type === "stream") {
      result.onDrop?.(() => {
        isDropped = true;
      });
    }
    const change = (text: string) =>
      api.scope.store.update("configmaps", "default", "a", (map) => ({ ...map, data: { text } }));
    putConfigMaps(api, "a");
    for (let index = 1; index < 5_000; index += 1) change(String(index));
    expect([isDropped, api.scope.streams.size]).toEqual([false, 1]);
    change("one more");
    expect([isDropped, api.scope.streams.size]).toEqual([true, 0]);
  });

  test("can be one of thousands", async () => {
    const api = testApi();
    const aborts = Array.from({ length: 5_000 }, () => new AbortController());
    const readers = await Promise.all(
      aborts.map(async ({ signal }) => {
        const result = await watch(api.scope, { ...testCall("configmaps", { query: "labelSelector=x" }), signal });
        if (result.type !== "stream") throw new Error(`a ${result.type}`);
        return result.chunks[Symbol.asyncIterator]();
      }),
    );
    const lines = readers.map((reader) => reader.next());
    api.put("configmaps", configMap("a", {}, { labels: { x: "y" } }));
    const texts = await Promise.all(lines.map(async (line) => Buffer.from((await line).value).toString()));
    expect([new Set(texts).size, texts[0]?.slice(0, 15)]).toEqual([1, '{"type":"ADDED"']);
    for (const abort of aborts) abort.abort();
    expect(api.scope.streams.size).toBe(0);
  });
});
