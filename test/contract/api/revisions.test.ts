import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { applyPatch, configMap, mergePatch, table } from "./objects.ts";

const future = "9000000000000000";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  test.each([
    ["a list", ""],
    ["an exact list", "&resourceVersionMatch=Exact"],
    ["a list that is not older", "&resourceVersionMatch=NotOlderThan"],
    ["a page", "&limit=1"],
    ["selected objects", "&labelSelector=a"],
  ])("%s from the future times out", async (_, query) => {
    const path = `${api.base}/configmaps?resourceVersion=${future}${query}`;
    for (const options of [{}, table]) {
      const { status, body } = await api.client.call("GET", path, undefined, options);
      expect([status, body.reason, body.details.causes?.[0]]).toMatchObject([
        504,
        "Timeout",
        { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
      ]);
    }
  });

  test("an object and a deletion of a collection from the future time out", async () => {
    await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
    const one = await api.client.call("GET", `${api.base}/configmaps/c?resourceVersion=${future}`);
    const all = await api.client.call("DELETE", `${api.base}/configmaps?resourceVersion=${future}`);
    expect([one.status, all.status]).toEqual([504, 504]);
    expect((await api.client.call("GET", `${api.base}/configmaps/c`)).status).toBe(200);
  });

  test("a write of a future revision conflicts, also an applied one", async () => {
    await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
    const path = `${api.base}/configmaps/c`;
    const written = configMap("c", { resourceVersion: future });
    const responses = [
      await api.client.call("PUT", path, written),
      await api.client.call("PATCH", path, written, mergePatch),
      await api.client.call("PATCH", `${path}?fieldManager=m&force=true`, written, applyPatch),
      await api.client.call("DELETE", path, { preconditions: { resourceVersion: future } }),
      await api.client.call("DELETE", path, { preconditions: { resourceVersion: "" } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    const applied = await api.client.call(
      ...(["PATCH", `${api.base}/configmaps/d?fieldManager=m`] as const),
      configMap("d", { resourceVersion: future }),
      applyPatch,
    );
    expect(applied.status).toBe(201);
  });

  test("a revision that is not a number is rejected", async () => {
    for (const revision of ["abc", "-1", "1.5", "18446744073709551616"]) {
      const { status } = await api.client.call("GET", `${api.base}/configmaps?resourceVersion=${revision}`);
      expect(status).toBe(400);
    }
  });
});
