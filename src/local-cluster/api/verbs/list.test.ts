import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import type { ActionResult } from "../call.ts";
import { configMap, putConfigMaps, statusOf, testCall } from "../test-call.ts";
import { list } from "./list.ts";

async function listPage(api: TestApi, query = "") {
  const result: ActionResult = await list(api.scope, testCall("configmaps", { query }));
  if (result.type !== "list") throw new Error(`a ${result.type}`);
  const names = result.items.map(({ metadata }) => Object(metadata).name);
  return { names, metadata: result.metadata };
}

describe("a list", () => {
  test("contains the objects of a namespace by name, and the revision", async () => {
    const api = testApi();
    putConfigMaps(api, "b", "a");
    api.put("configmaps", configMap("c", {}, { namespace: "kube-system" }));
    const { names, metadata } = await listPage(api);
    expect(names).toEqual(["a", "b", "kube-root-ca.crt"]);
    expect(metadata).toEqual({ resourceVersion: String(api.scope.store.revision()) });
  });

  test("continues page by page at one revision", async () => {
    const api = testApi();
    putConfigMaps(api, "a", "b", "c");
    const first = await listPage(api, "limit=2");
    expect([first.names, first.metadata["remainingItemCount"]]).toEqual([["a", "b"], 2]);
    api.put("configmaps", configMap("bb"));
    api.scope.store.remove("configmaps", "default", "c");
    const token = encodeURIComponent(String(first.metadata["continue"]));
    const second = await listPage(api, `limit=2&continue=${token}`);
    expect(second.names).toEqual(["c", "kube-root-ca.crt"]);
    expect(second.metadata["resourceVersion"]).toBe(first.metadata["resourceVersion"]);
    expect(second.metadata).not.toHaveProperty("continue");
  });

  test("can be continued for five minutes, then with a token for the newest revision", async () => {
    const api = testApi();
    putConfigMaps(api, "a", "b", "c");
    const first = await listPage(api, "limit=2");
    const byToken = (token: unknown) => `continue=${encodeURIComponent(String(token))}`;
    const next = byToken(first.metadata["continue"]);
    await api.host.advance(300_000);
    expect((await listPage(api, next)).names).toEqual(["c", "kube-root-ca.crt"]);
    await api.host.advance(1);
    api.put("configmaps", configMap("bb"));
    const expired = await api.call("GET", `/api/v1/namespaces/default/configmaps?${next}`);
    const status: { readonly reason: string; readonly metadata: { readonly continue: string } } = JSON.parse(
      await expired.text(),
    );
    expect([expired.status, status.reason]).toEqual([410, "Expired"]);
    const rest = await listPage(api, byToken(status.metadata.continue));
    expect(rest.names).toEqual(["bb", "c", "kube-root-ca.crt"]);
  });

  test("omits the remaining count with a selector", async () => {
    const api = testApi();
    for (const name of ["a", "b"]) api.put("configmaps", configMap(name, {}, { labels: { x: "y" } }));
    const { names, metadata } = await listPage(api, "limit=1&labelSelector=x");
    expect(names).toEqual(["a"]);
    expect(metadata).toHaveProperty("continue");
    expect(metadata).not.toHaveProperty("remainingItemCount");
  });

  test("shows an exact earlier revision", async () => {
    const api = testApi();
    putConfigMaps(api, "a");
    const revision = api.scope.store.revision();
    putConfigMaps(api, "b");
    const { names } = await listPage(api, `resourceVersion=${revision}&resourceVersionMatch=Exact`);
    expect(names).toEqual(["a", "kube-root-ca.crt"]);
  });

  test("rejects a future revision", () => {
    const api = testApi();
    const query = `resourceVersion=${api.scope.store.revision() + 1}`;
    expect(statusOf(() => list(api.scope, testCall("configmaps", { query })))).toMatchObject({
      ...{ code: 504, message: expect.stringContaining("Too large resource version") },
    });
  });
});
