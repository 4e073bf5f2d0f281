import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import { statusOf, testCall } from "../test-call.ts";
import { apply } from "./apply.ts";

const type = "application/apply-patch+yaml";
const manifest = (lines: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${lines}`;
const applyText = (api: TestApi, body: string, query = "fieldManager=m") =>
  apply(api.scope, testCall("configmaps", { name: "a", type, body, query }));
const stored = (api: TestApi) => api.scope.store.get("configmaps", "default", "a");

describe("server-side apply", () => {
  test("creates a missing object, then updates it", () => {
    const api = testApi();
    expect(applyText(api, manifest("data: {k: v}"))).toMatchObject({ status: 201 });
    expect(applyText(api, manifest("data: {k: w}"))).toMatchObject({ status: 200 });
    expect(stored(api)).toMatchObject({ data: { k: "w" } });
    expect(stored(api)?.metadata.managedFields).toMatchObject([{ manager: "m", operation: "Apply" }]);
  });

  test("returns the stored object if nothing changes", async () => {
    const api = testApi();
    await applyText(api, manifest("data: {k: v}"));
    expect(applyText(api, manifest("data: {k: v}"))).toMatchObject({ object: stored(api) });
  });

  test("takes over another manager's field only if forced", async () => {
    const api = testApi();
    await applyText(api, manifest("data: {k: v}"));
    const other = manifest("data: {k: w}");
    expect(statusOf(() => applyText(api, other, "fieldManager=n"))).toMatchObject({
      ...{ code: 409, message: 'Apply failed with 1 conflict: conflict with "m": .data.k' },
    });
    await applyText(api, other, "fieldManager=n&force=true");
    expect(stored(api)).toMatchObject({ data: { k: "w" } });
  });

  test.each([
    ["data: [", 400, "error decoding YAML"],
    [manifest("nope: 1"), 400, ".nope: field not declared in schema"],
    [manifest("").replace("{name: a}", "{name: b}"), 400, "does not match the name on the URL"],
    [manifest("").replace("ConfigMap", "Secret"), 400, "invalid object type: /v1, Kind=Secret"],
    [manifest("").replace("{name: a}", "{name: a, uid: u}"), 409, "uid mismatch"],
    [manifest("").replace("{name: a}", "{name: a, managedFields: []}"), 400, "managedFields must be nil"],
  ])("is rejected: %j", (body, code, message) => {
    expect(statusOf(() => applyText(testApi(), body))).toMatchObject({
      ...{ code, message: expect.stringContaining(message) },
    });
  });
});
