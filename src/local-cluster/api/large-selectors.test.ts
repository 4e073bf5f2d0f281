import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const list = (item: (index: number) => string) => Array.from({ length: 10_000 }, (_, index) => item(index)).join(",");

test.each([
  ["labelSelector", `a in (${list((index) => `v${index}`)})`, 1],
  ["labelSelector", `a notin (${list((index) => `v${index}`)})`, 0],
  ["labelSelector", list((index) => `!n${index}`), 1],
  ["labelSelector", `${list(() => "a")},b`, 0],
  ["fieldSelector", list((index) => `metadata.name!=n${index}`), 1],
  ["fieldSelector", `metadata.name=${"c".repeat(1_000_000)}`, 0],
])("a %s may have thousands of terms, or be long", async (name, selector, count) => {
  const api = testApi();
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", labels: { a: "v7" } } };
  expect((await api.call("POST", maps, { body })).status).toBe(201);
  const response = await api.call("GET", `${maps}?${name}=${encodeURIComponent(selector)}`);
  const { items }: { items: readonly { metadata: { name: string } }[] } = JSON.parse(await response.text());
  expect(items.filter(({ metadata }) => metadata.name === "c")).toHaveLength(count);
});
