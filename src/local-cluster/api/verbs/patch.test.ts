import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { configMap, statusOf, testCall } from "../test-call.ts";
import { rawBody } from "../wire/body.ts";
import { patch, patchType } from "./patch.ts";

const json = "application/json-patch+json";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";

function apiWithMap(): TestApi {
  const api = testApi();
  api.put("configmaps", configMap("a", { data: { k: "v" } }));
  return api;
}

const patchMap = (api: TestApi, type: string, body: unknown, query = "") =>
  patch(api.scope, testCall("configmaps", { name: "a", type, body, query }));

describe("a patch", () => {
  test.each<[string, unknown]>([
    [json, [{ op: "replace", path: "/data/k", value: "w" }]],
    [merge, { data: { k: "w" } }],
    [strategic, { data: { k: "w" } }],
  ])("of type %s changes the object", (type, body) => {
    const api = apiWithMap();
    expect(patchMap(api, type, body)).toMatchObject({ status: 200, object: { data: { k: "w" } } });
    expect(api.scope.store.get("configmaps", "default", "a")).toMatchObject({ data: { k: "w" } });
  });

  test.each<[string, string, unknown, number, string]>([
    ["text that is not JSON", merge, "{", 400, "error decoding patch"],
    ["a JSON patch that is an object", json, {}, 400, "cannot unmarshal object"],
    ["an operation that does not fit", json, [{ op: "remove", path: "/data/x" }], 422, "rejected our request"],
    ["another name", merge, { metadata: { name: "b" } }, 400, "does not match the name on the URL"],
    ["a value of the wrong type", merge, { data: 5 }, 422, "patch: Invalid value"],
    ["another media type", "application/json", {}, 415, "Unsupported Media Type"],
  ])("is rejected: %s", (_, type, body, code, message) => {
    expect(statusOf(() => patchMap(apiWithMap(), type, body))).toMatchObject({
      ...{ code, message: expect.stringContaining(message) },
    });
  });

  test("warns of duplicate fields, or rejects them in strict validation", async () => {
    const body = '{"data":{"k":"1","k":"2"}}';
    const call = testCall("configmaps", { name: "a", type: merge, body });
    await patch(apiWithMap().scope, call);
    expect(call.warnings).toEqual(['duplicate field "data.k"']);
    expect(statusOf(() => patchMap(apiWithMap(), merge, body, "fieldValidation=Strict"))?.code).toBe(422);
  });
});

test("the media type selects the type of a patch, whatever its parameters", () => {
  expect(patchType(rawBody("{}", `${merge}; charset=utf-8`))).toBe("merge");
  expect(patchType(rawBody("{}", "application/apply-patch+yaml"))).toBe("apply");
});
