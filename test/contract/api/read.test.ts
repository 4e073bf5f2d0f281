import { beforeEach, describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { configMap, mergePatch, table } from "./objects.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  describe("lists", () => {
    beforeEach(async () => {
      for (const [name, labels] of Object.entries({ a: { n: "1" }, b: { n: "2", x: "y" }, c: { n: "3" } })) {
        await api.client.call("POST", `${api.base}/configmaps`, configMap(name, { labels }));
      }
    });

    test.each([
      ["n=1", ["a"]],
      ["n!=1,n", ["b", "c"]],
      ["n in (1,3)", ["a", "c"]],
      ["n notin (1,3),x", ["b"]],
      ["n,!x", ["a", "c"]],
    ])("objects that match a selector: %s", async (selector, names) => {
      const { body } = await api.client.call(
        "GET",
        `${api.base}/configmaps?labelSelector=${encodeURIComponent(selector)}`,
      );
      expect(body.kind).toBe("ConfigMapList");
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(body.items.some((item) => "kind" in item)).toBe(false);
    });

    test("objects that match a field selector, and rejects unknown fields", async () => {
      const { body } = await api.client.call("GET", `${api.base}/configmaps?fieldSelector=metadata.name%3Db`);
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["b"]);
      expect((await api.client.call("GET", `${api.base}/configmaps?fieldSelector=data%3Dx`)).status).toBe(400);
    });

    test("pages of one revision", async () => {
      const path = `${api.base}/configmaps?limit=1&labelSelector=n`;
      const first = await api.client.call("GET", path);
      await api.client.call("POST", `${api.base}/configmaps`, configMap("bb", { labels: { n: "9" } }));
      const second = await api.client.call("GET", `${path}&continue=${first.body.metadata.continue}`);
      const third = await api.client.call("GET", `${path}&continue=${second.body.metadata.continue}`);
      const pages = [first, second, third];
      expect(pages.map(({ body }) => body.items[0]?.metadata.name)).toEqual(["a", "b", "c"]);
      expect(new Set(pages.map(({ body }) => body.metadata.resourceVersion)).size).toBe(1);
    });

    test.each([
      ["/api/v1/replicationcontrollers", "ReplicationControllerList"],
      ["/apis/storage.k8s.io/v1/csinodes", "CSINodeList"],
      ["/apis/storage.k8s.io/v1/csidrivers", "CSIDriverList"],
      ["/apis/storage.k8s.io/v1/csistoragecapacities", "CSIStorageCapacityList"],
      ["/apis/storage.k8s.io/v1/volumeattachments", "VolumeAttachmentList"],
      ["/apis/resource.k8s.io/v1/resourceclaims", "ResourceClaimList"],
      ["/apis/resource.k8s.io/v1/resourceslices", "ResourceSliceList"],
      ["/apis/resource.k8s.io/v1/deviceclasses", "DeviceClassList"],
    ])("a kind that schedulers list and watch when they start: %s", async (path, kind) => {
      const { status, body } = await api.client.call("GET", path);
      expect([status, body.kind, Array.isArray(body.items)]).toEqual([200, kind, true]);
      const watched = await api.client.call("GET", `${path}?watch=true&timeoutSeconds=1&resourceVersion=0`);
      expect(watched.status).toBe(200);
    });

    test("as a table", async () => {
      const { body } = await api.client.call("GET", `${api.base}/configmaps?labelSelector=n%3D1`, undefined, table);
      expect(body.kind).toBe("Table");
      expect(body.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([["a", 1]]);
    });
  });

  describe("watches", () => {
    test("existing objects, and then changes", async () => {
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { labels: { w: "1" } }));
      const events = await api.client.watch(`${api.base}/configmaps?watch=true&labelSelector=w`, 4, async () => {
        await api.client.call("PATCH", `${api.base}/configmaps/c`, { data: { k: "w" } }, mergePatch);
        await api.client.call("POST", `${api.base}/configmaps`, configMap("d", { labels: { w: "1" } }));
        await api.client.call("DELETE", `${api.base}/configmaps/c`);
      });
      expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
        ["ADDED", "c"],
        ["MODIFIED", "c"],
        ["ADDED", "d"],
        ["DELETED", "c"],
      ]);
    });

    test("from a revision, in order", async () => {
      const first = await api.client.call("POST", `${api.base}/configmaps`, configMap("a"));
      for (const name of ["b", "c", "d"]) await api.client.call("POST", `${api.base}/configmaps`, configMap(name));
      const { resourceVersion } = first.body.metadata;
      const events = await api.client.watch(`${api.base}/configmaps?watch=true&resourceVersion=${resourceVersion}`, 3);
      expect(events.map(({ object }) => object.metadata.name)).toEqual(["b", "c", "d"]);
      const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(revisions.toSorted((a, b) => a - b)).toEqual(revisions);
    });

    test("an object that no longer matches the selector as deleted", async () => {
      await api.client.call("POST", `${api.base}/configmaps`, configMap("c", { labels: { w: "1" } }));
      const events = await api.client.watch(`${api.base}/configmaps?watch=true&labelSelector=w%3D1`, 2, () =>
        api.client.call("PATCH", `${api.base}/configmaps/c`, { metadata: { labels: { w: "2" } } }, mergePatch),
      );
      expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
      expect(events[1]?.object.metadata.labels).toEqual({ w: "1" });
    });

    test("not from a forgotten revision", async () => {
      const [event] = await api.client.watch(`${api.base}/configmaps?watch=true&resourceVersion=1`, 1, async () => {
        // A new server still stores it: then the first event is a change.
        await api.client.call("POST", `${api.base}/configmaps`, configMap("late"));
      });
      expect(["ERROR", "ADDED"]).toContain(event?.type);
      if (event?.type === "ERROR") expect(event.object).toMatchObject({ code: 410, reason: "Expired" });
    });
  });

  test("shows no review as a table", async () => {
    const spec = { nonResourceAttributes: { path: "/", verb: "get" } };
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const only = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    expect((await api.client.call("POST", path, review, only)).status).toBe(406);
    expect((await api.client.call("POST", path, review, table)).body.kind).toBe("SelfSubjectAccessReview");
  });

  test("lists the kinds that it serves", async () => {
    const version = await api.client.call("GET", "/version");
    expect(version.body).toMatchObject({ major: "1" });
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const discovery = await api.client.call("GET", "/api", undefined, { accept });
    expect(discovery.body.kind).toBe("APIGroupDiscoveryList");
    const plain = await api.client.call("GET", "/api/v1");
    expect(plain.body.kind).toBe("APIResourceList");
  });
});
