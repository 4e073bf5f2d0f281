import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { configMap, mergePatch, unscheduledPod } from "./objects.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  describe("deletes", () => {
    test("immediately with a Status; the second time with 404", async () => {
      const created = await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      const deleted = await api.client.call("DELETE", `${api.base}/configmaps/c`);
      expect(deleted.body).toMatchObject({
        kind: "Status",
        status: "Success",
        details: { uid: created.body.metadata.uid },
      });
      expect((await api.client.call("DELETE", `${api.base}/configmaps/c`)).status).toBe(404);
    });

    test("a pod on a node after its grace period", async () => {
      await api.client.call("POST", `${api.base}/pods`, unscheduledPod("p", {}, { nodeName: "elsewhere" }));
      const { body } = await api.client.call("DELETE", `${api.base}/pods/p`, { gracePeriodSeconds: 20 });
      expect(body.metadata.deletionGracePeriodSeconds).toBe(20);
      expect((await api.client.call("GET", `${api.base}/pods/p`)).status).toBe(200);
      await api.client.call("DELETE", `${api.base}/pods/p`, { gracePeriodSeconds: 0 });
      expect((await api.client.call("GET", `${api.base}/pods/p`)).status).toBe(404);
    });

    test("objects with finalizers only after the last is removed", async () => {
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { finalizers: ["example.com/x"] }));
      expect(
        (await api.client.call("DELETE", `${api.base}/configmaps/c`)).body.metadata.deletionTimestamp,
      ).toBeDefined();
      expect((await api.client.call("GET", `${api.base}/configmaps/c`)).status).toBe(200);
      await api.client.call("PATCH", `${api.base}/configmaps/c`, { metadata: { finalizers: null } }, mergePatch);
      expect((await api.client.call("GET", `${api.base}/configmaps/c`)).status).toBe(404);
    });

    test("no terminating object that gets other finalizers, a new name or another grace period", async () => {
      const finalizers = ["example.com/a", "example.com/b"];
      const path = `${api.base}/configmaps/c`;
      const patch = (metadata: object) => api.client.call("PATCH", path, { metadata }, mergePatch);
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { finalizers }));
      await api.client.call("DELETE", path);
      const added = await patch({ finalizers: [...finalizers, "example.com/c"] });
      expect(added.body.message).toContain("no new finalizers can be added if the object is being deleted");
      const created = await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      expect([created.status, created.body.message]).toEqual([
        ...[409, 'object is being deleted: configmaps "c" already exists'],
      ]);
      const grace = await patch({ deletionGracePeriodSeconds: 5 });
      expect(grace.body.message).toContain("metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable");
      const kept = await patch({ deletionTimestamp: null, finalizers: ["example.com/b"], labels: { a: "b" } });
      expect(kept.body.metadata).toMatchObject({ deletionTimestamp: expect.any(String), labels: { a: "b" } });
      await patch({ finalizers: [] });
      expect((await api.client.call("GET", path)).status).toBe(404);
    });

    test("collections by label and field, as a Spark driver does", async () => {
      for (const id of ["1", "2", "3"])
        await api.client.call(
          "POST",
          `${api.base}/pods`,
          unscheduledPod(`e${id}`, { labels: { "spark-exec-id": id } }),
        );
      const selector = encodeURIComponent("spark-exec-id in (1,3)");
      const { body } = await api.client.call(
        "DELETE",
        `${api.base}/pods?fieldSelector=status.phase%3DPending&labelSelector=${selector}`,
      );
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["e1", "e3"]);
      expect(
        (await api.client.call("GET", `${api.base}/pods`)).body.items.map(({ metadata }) => metadata.name),
      ).toEqual(["e2"]);
    });

    test("only the object with the client's uid", async () => {
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c"));
      expect(
        (await api.client.call("DELETE", `${api.base}/configmaps/c`, { preconditions: { uid: "other" } })).status,
      ).toBe(409);
    });
  });

  describe("garbage-collects", () => {
    const owned = (name: string, uid: string | undefined, more: object = {}) => {
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more };
      return configMap(name, { ownerReferences: [owner] });
    };
    const isDeleted = (name: string) =>
      until(
        () => api.client.call("GET", `${api.base}/configmaps/${name}`),
        ({ status }) => status === 404,
      );

    test("dependents of a deleted owner", async () => {
      const owner = await api.client.call("POST", `${api.base}/configmaps`, configMap("owner"));
      await api.client.call("POST", `${api.base}/configmaps`, owned("dependent", owner.body.metadata.uid));
      await api.client.call("DELETE", `${api.base}/configmaps/owner`, { propagationPolicy: "Background" });
      expect((await isDeleted("dependent")).status).toBe(404);
    });

    test("dependents before a foreground-deleted owner", async () => {
      const owner = await api.client.call("POST", `${api.base}/configmaps`, configMap("owner"));
      const held = owned("dependent", owner.body.metadata.uid, { blockOwnerDeletion: true });
      await api.client.call("POST", `${api.base}/configmaps`, held);
      const { body } = await api.client.call("DELETE", `${api.base}/configmaps/owner`, {
        propagationPolicy: "Foreground",
      });
      expect(body.metadata.finalizers).toEqual(["foregroundDeletion"]);
      expect((await isDeleted("dependent")).status).toBe(404);
      expect((await isDeleted("owner")).status).toBe(404);
    });

    test("no orphaned dependents", async () => {
      const owner = await api.client.call("POST", `${api.base}/configmaps`, configMap("owner"));
      await api.client.call("POST", `${api.base}/configmaps`, owned("dependent", owner.body.metadata.uid));
      await api.client.call("DELETE", `${api.base}/configmaps/owner`, { propagationPolicy: "Orphan" });
      expect((await isDeleted("owner")).status).toBe(404);
      const dependent = await api.client.call("GET", `${api.base}/configmaps/dependent`);
      expect(dependent.body.metadata.ownerReferences).toBeUndefined();
    });
  });

  test("replaces the metadata and finalizers of a namespace by its own path only", async () => {
    const path = `/api/v1/namespaces/${api.namespace}`;
    await api.client.call("PATCH", path, { metadata: { labels: { a: "b" } }, spec: { finalizers: [] } }, mergePatch);
    const labeled = await api.client.call("GET", path);
    expect([labeled.body.metadata.labels?.["a"], labeled.body.spec]).toEqual(["b", { finalizers: ["kubernetes"] }]);
    const finalizers = ["kubernetes", "example.com/x"];
    const put = (spec: object) =>
      api.client.call("PUT", `${path}/finalize`, {
        ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: api.namespace } },
        spec,
      });
    const finalized = await put({ finalizers });
    expect([finalized.body.spec, finalized.body.metadata.labels]).toEqual([
      { finalizers },
      { "kubernetes.io/metadata.name": api.namespace },
    ]);
    expect((await put({ finalizers: ["x"] })).status).toBe(422);
    await put({ finalizers: ["kubernetes"] });
    const selected = await api.client.call("GET", "/api/v1/namespaces?fieldSelector=metadata.namespace%3Dx");
    expect([selected.status, selected.body.message]).toEqual([400, "field label not supported: metadata.namespace"]);
  });

  test("empties a terminating namespace and rejects new objects in it", async () => {
    await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { finalizers: ["example.com/x"] }));
    await api.client.call("DELETE", `/api/v1/namespaces/${api.namespace}`);
    const late = await api.client.call("POST", `${api.base}/configmaps`, configMap("d"));
    expect([late.status, late.body.details.causes?.[0]?.field]).toEqual([403, "metadata.namespace"]);
    await api.client.call("PATCH", `${api.base}/configmaps/c`, { metadata: { finalizers: null } }, mergePatch);
    const gone = await until(
      () => api.client.call("GET", `/api/v1/namespaces/${api.namespace}`),
      ({ status }) => status === 404,
    );
    expect(gone.status).toBe(404);
  });
});
