import { expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { putConfigMaps, statusOf, testCall } from "../test-call.ts";
import { get } from "./get.ts";

test("returns an object", () => {
  const api = testApi();
  putConfigMaps(api, "a");
  expect(get(api.scope, testCall("configmaps", { name: "a" }))).toMatchObject({
    ...{ type: "object", status: 200, object: { metadata: { name: "a" } } },
  });
});

test.each([
  ["missing", "", 404, 'configmaps "missing" not found'],
  ["a", "export=true", 400, "no longer supported"],
  ["a", "resourceVersion=x", 400, "invalid syntax"],
  ["a", "resourceVersion=9999999999999", 504, "Too large resource version"],
])("rejects %s?%s", (name, query, code, message) => {
  const api = testApi();
  putConfigMaps(api, "a");
  expect(statusOf(() => get(api.scope, testCall("configmaps", { name, query })))).toMatchObject({
    ...{ code, message: expect.stringContaining(message) },
  });
});
