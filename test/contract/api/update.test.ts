import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { applyPatch, configMap, mergePatch, unscheduledPod } from "./objects.ts";

const strategicPatch = { type: "application/strategic-merge-patch+json" };
describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  describe("updates", () => {
    test("only the version that the client read", async () => {
      const created = await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      const { resourceVersion } = created.body.metadata;
      const put = (value: string) =>
        api.client.call("PUT", `${api.base}/configmaps/c`, configMap("c", { resourceVersion }, { k: value }));
      expect((await put("w")).status).toBe(200);
      const stale = await put("x");
      expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
    });

    test("no revision if nothing changes", async () => {
      const created = await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      const patched = await api.client.call("PATCH", `${api.base}/configmaps/c`, { data: { k: "v" } }, mergePatch);
      expect(patched.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    });

    test("by JSON, merge and strategic merge patches", async () => {
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { labels: { a: "1" } }));
      const operations = [{ op: "add", path: "/data/x", value: "1" }];
      const json = await api.client.call("PATCH", `${api.base}/configmaps/c`, operations, {
        type: "application/json-patch+json",
      });
      expect(json.body.data).toEqual({ k: "v", x: "1" });
      const merged = await api.client.call(
        "PATCH",
        `${api.base}/configmaps/c`,
        { metadata: { labels: { a: null } } },
        mergePatch,
      );
      expect(merged.body.metadata.labels).toBeUndefined();
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p", { labels: { a: "1" } }));
      const skeleton = { apiVersion: "v1", kind: "Pod", metadata: { labels: { b: "2" } }, spec: {} };
      const labelled = await api.client.call("PATCH", `${api.base}/pods/p`, skeleton, strategicPatch);
      expect([labelled.status, labelled.body.metadata.labels]).toEqual([200, { a: "1", b: "2" }]);
    });

    test("a pod's container image by name, and no other field", async () => {
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      const image = await api.client.call(
        "PATCH",
        `${api.base}/pods/p`,
        { spec: { containers: [{ name: "a", image: "y" }] } },
        strategicPatch,
      );
      expect(image.status).toBe(200);
      const policy = await api.client.call(
        "PATCH",
        `${api.base}/pods/p`,
        { spec: { restartPolicy: "Never" } },
        mergePatch,
      );
      expect([policy.status, policy.body.details.causes?.[0]?.field]).toEqual([422, "spec"]);
    });

    test("the status of a pod by its own path only", async () => {
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p"));
      const running = { status: { phase: "Running" } };
      expect((await api.client.call("PATCH", `${api.base}/pods/p`, running, mergePatch)).body.status).toMatchObject({
        phase: "Pending",
      });
      expect(
        (await api.client.call("PATCH", `${api.base}/pods/p/status`, running, mergePatch)).body.status,
      ).toMatchObject({
        phase: "Running",
      });
    });
  });

  describe("applies", () => {
    const path = (manager: string, more = "") => `${api.base}/configmaps/c?fieldManager=${manager}${more}`;

    test("a manager's fields, and removes those that it no longer applies", async () => {
      expect(
        (await api.client.call("PATCH", path("one"), configMap("c", {}, { a: "1", b: "2" }), applyPatch)).status,
      ).toBe(201);
      const second = await api.client.call("PATCH", path("one"), configMap("c", {}, { a: "1" }), applyPatch);
      expect([second.status, second.body.data]).toEqual([200, { a: "1" }]);
      expect(second.body.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
        ["one", "Apply"],
      ]);
    });

    test("no fields of another manager, unless forced", async () => {
      await api.client.call("PATCH", path("one"), configMap("c", {}, { a: "1" }), applyPatch);
      const refused = await api.client.call("PATCH", path("two"), configMap("c", {}, { a: "2" }), applyPatch);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "one": .data.a',
      ]);
      const forced = await api.client.call(
        "PATCH",
        path("two", "&force=true"),
        configMap("c", {}, { a: "2" }),
        applyPatch,
      );
      expect([forced.status, forced.body.data]).toEqual([200, { a: "2" }]);
    });

    test("only for named managers", async () => {
      const { status } = await api.client.call("PATCH", `${api.base}/configmaps/c`, configMap("c"), applyPatch);
      expect(status).toBe(422);
    });
  });
});
