import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ContractClient, contractClient } from "./contract-client.ts";
import { type OpenTarget, targets } from "./target.ts";

const merge = { type: "application/merge-patch+json" };
const strategic = { type: "application/strategic-merge-patch+json" };
const applying = { type: "application/apply-patch+yaml" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

function configMap(name: string, more: object = {}, data: object = { k: "v" }) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}

/** A pod that the cluster's scheduler ignores. */
function pod(name: string, more: object = {}, spec: object = {}) {
  const unscheduled = { containers: [{ name: "a", image: "busybox:1" }], schedulerName: "nobody" };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...more }, spec: { ...unscheduled, ...spec } };
}

describe.each(targets())("$name", ({ open }) => {
  let target: OpenTarget;
  let client: ContractClient;
  let namespace = "";
  let base = "";
  let serial = 0;

  beforeAll(async () => {
    target = await open();
    client = contractClient(target.transport);
  });
  afterAll(() => target.close());
  beforeEach(async () => {
    serial += 1;
    namespace = `contract-${process.pid}-${serial}`;
    base = `/api/v1/namespaces/${namespace}`;
    await client.call("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await until(
      () => client.call("GET", `${base}/serviceaccounts/default`),
      ({ status }) => status === 200,
    );
    return async () => {
      await client.call("DELETE", `${base}/pods`, { gracePeriodSeconds: 0 });
      await client.call("DELETE", `/api/v1/namespaces/${namespace}`);
    };
  });

  async function until<T>(attempt: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const value = await attempt();
      if (holds(value) || tries > 400) return value;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  describe("creates", () => {
    test("an object with uid, revision, time and namespace", async () => {
      const { status, body } = await client.call("POST", `${base}/configmaps`, configMap("c"));
      expect(status).toBe(201);
      expect(body.metadata).toMatchObject({ name: "c", namespace });
      expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
      expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    test("a pod with the defaults that Spark and kubectl rely on", async () => {
      const { body } = await client.call("POST", `${base}/pods`, pod("p"));
      expect(body.spec).toMatchObject({
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        serviceAccountName: "default",
        containers: [
          { imagePullPolicy: "IfNotPresent", resources: {}, terminationMessagePath: "/dev/termination-log" },
        ],
      });
      expect(body.status).toMatchObject({ phase: "Pending", qosClass: "BestEffort" });
    });

    test("no object twice", async () => {
      await client.call("POST", `${base}/pods`, pod("p"));
      const { status, body } = await client.call("POST", `${base}/pods`, pod("p"));
      expect([status, body.reason, body.message]).toEqual([409, "AlreadyExists", 'pods "p" already exists']);
    });

    test("fifty names from one prefix", async () => {
      const create = () => client.call("POST", `${base}/configmaps`, configMap("", { generateName: "c-" }));
      const names = await Promise.all(Array.from({ length: 50 }, async () => (await create()).body.metadata.name));
      expect(new Set(names).size).toBe(50);
      expect(names.every((name = "") => /^c-[a-z0-9]{5}$/.test(name))).toBe(true);
    });

    test("nothing on a dry run", async () => {
      expect((await client.call("POST", `${base}/configmaps?dryRun=All`, configMap("c"))).status).toBe(201);
      expect((await client.call("GET", `${base}/configmaps/c`)).status).toBe(404);
    });

    test("a service with an address, and a headless one without", async () => {
      const service = (name: string, spec: object) => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name },
        spec,
      });
      const plain = await client.call("POST", `${base}/services`, service("s", { ports: [{ port: 80 }] }));
      const headless = await client.call(
        "POST",
        `${base}/services`,
        service("h", { clusterIP: "None", ports: [{ port: 80 }] }),
      );
      expect(plain.body.spec["clusterIP"]).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(plain.body.spec["ports"]).toEqual([{ port: 80, targetPort: 80, protocol: "TCP" }]);
      expect(headless.body.spec["clusterIP"]).toBe("None");
    });
  });

  describe("rejects", () => {
    test("invalid names and namespaces", async () => {
      const badName = await client.call("POST", `${base}/configmaps`, configMap("Upper"));
      expect([badName.status, badName.body.reason]).toEqual([422, "Invalid"]);
      expect(badName.body.details.causes?.[0]?.field).toBe("metadata.name");
      const nowhere = await client.call("POST", "/api/v1/namespaces/nowhere/configmaps", configMap("c"));
      expect([nowhere.status, nowhere.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
      const elsewhere = await client.call("POST", `${base}/configmaps`, configMap("c", { namespace: "other" }));
      expect(elsewhere.status).toBe(400);
    });

    test("an invalid pod with all its errors", async () => {
      const containers = [
        { name: "A", image: "" },
        { name: "b", image: "x", volumeMounts: [{ name: "v", mountPath: "/v" }] },
      ];
      const { status, body } = await client.call(
        "POST",
        `${base}/pods`,
        pod("p", {}, { containers, restartPolicy: "Nope" }),
      );
      expect(status).toBe(422);
      expect(body.details.causes?.map(({ field }) => field)).toEqual([
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.containers[1].volumeMounts[0].name",
        "spec.restartPolicy",
      ]);
    });

    test("unsupported media types of bodies and responses", async () => {
      expect((await client.call("POST", `${base}/configmaps`, "x", { type: "text/plain" })).status).toBe(415);
      expect((await client.call("PATCH", `${base}/configmaps/c`, {}, { type: "application/json" })).status).toBe(415);
      expect((await client.call("GET", `${base}/configmaps`, undefined, { accept: "application/xml" })).status).toBe(
        406,
      );
      expect((await client.call("POST", `${base}/configmaps`, "{")).status).toBe(400);
    });

    test("missing paths and unsupported methods", async () => {
      expect((await client.call("GET", `${base}/configmaps/none`)).body.reason).toBe("NotFound");
      expect((await client.call("GET", `${base}/unknown`)).status).toBe(404);
      expect((await client.call("GET", "/apis/nope.example/v1")).text).toBe("404 page not found\n");
      expect((await client.call("PUT", `${base}/configmaps`, {})).status).toBe(405);
    });

    test("unknown fields in strict validation", async () => {
      const withUnknownField = { ...configMap("c"), unknown: 1 };
      const strict = await client.call("POST", `${base}/configmaps?fieldValidation=Strict`, withUnknownField);
      expect([strict.status, strict.body.message]).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "unknown"',
      ]);
      const warned = await client.call("POST", `${base}/configmaps`, withUnknownField);
      expect([warned.status, warned.headers["warning"]]).toEqual([201, '299 - "unknown field \\"unknown\\""']);
    });
  });

  describe("lists", () => {
    beforeEach(async () => {
      for (const [name, labels] of Object.entries({ a: { n: "1" }, b: { n: "2", x: "y" }, c: { n: "3" } })) {
        await client.call("POST", `${base}/configmaps`, configMap(name, { labels }));
      }
    });

    test.each([
      ["n=1", ["a"]],
      ["n!=1,n", ["b", "c"]],
      ["n in (1,3)", ["a", "c"]],
      ["n notin (1,3),x", ["b"]],
      ["n,!x", ["a", "c"]],
    ])("objects that match a selector: %s", async (selector, names) => {
      const { body } = await client.call("GET", `${base}/configmaps?labelSelector=${encodeURIComponent(selector)}`);
      expect(body.kind).toBe("ConfigMapList");
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(names);
      expect(body.items.some((item) => "kind" in item)).toBe(false);
    });

    test("objects that match a field selector, and rejects unknown fields", async () => {
      const { body } = await client.call("GET", `${base}/configmaps?fieldSelector=metadata.name%3Db`);
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["b"]);
      expect((await client.call("GET", `${base}/configmaps?fieldSelector=data%3Dx`)).status).toBe(400);
    });

    test("pages of one revision", async () => {
      const path = `${base}/configmaps?limit=1&labelSelector=n`;
      const first = await client.call("GET", path);
      await client.call("POST", `${base}/configmaps`, configMap("bb", { labels: { n: "9" } }));
      const second = await client.call("GET", `${path}&continue=${first.body.metadata.continue}`);
      const third = await client.call("GET", `${path}&continue=${second.body.metadata.continue}`);
      const pages = [first, second, third];
      expect(pages.map(({ body }) => body.items[0]?.metadata.name)).toEqual(["a", "b", "c"]);
      expect(new Set(pages.map(({ body }) => body.metadata.resourceVersion)).size).toBe(1);
    });

    test("as a table", async () => {
      const { body } = await client.call("GET", `${base}/configmaps?labelSelector=n%3D1`, undefined, table);
      expect(body.kind).toBe("Table");
      expect(body.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([["a", 1]]);
    });
  });

  describe("updates", () => {
    test("only the version that the client read", async () => {
      const created = await client.call("POST", `${base}/configmaps`, configMap("c"));
      const { resourceVersion } = created.body.metadata;
      const put = (value: string) =>
        client.call("PUT", `${base}/configmaps/c`, configMap("c", { resourceVersion }, { k: value }));
      expect((await put("w")).status).toBe(200);
      const stale = await put("x");
      expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
    });

    test("no revision if nothing changes", async () => {
      const created = await client.call("POST", `${base}/configmaps`, configMap("c"));
      const patched = await client.call("PATCH", `${base}/configmaps/c`, { data: { k: "v" } }, merge);
      expect(patched.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    });

    test("by JSON, merge and strategic merge patches", async () => {
      await client.call("POST", `${base}/configmaps`, configMap("c", { labels: { a: "1" } }));
      const operations = [{ op: "add", path: "/data/x", value: "1" }];
      const json = await client.call("PATCH", `${base}/configmaps/c`, operations, {
        type: "application/json-patch+json",
      });
      expect(json.body.data).toEqual({ k: "v", x: "1" });
      const merged = await client.call("PATCH", `${base}/configmaps/c`, { metadata: { labels: { a: null } } }, merge);
      expect(merged.body.metadata.labels).toBeUndefined();
      await client.call("POST", `${base}/pods`, pod("p", { labels: { a: "1" } }));
      const skeleton = { apiVersion: "v1", kind: "Pod", metadata: { labels: { b: "2" } }, spec: {} };
      const labelled = await client.call("PATCH", `${base}/pods/p`, skeleton, strategic);
      expect([labelled.status, labelled.body.metadata.labels]).toEqual([200, { a: "1", b: "2" }]);
    });

    test("a pod's container image by name, and no other field", async () => {
      await client.call("POST", `${base}/pods`, pod("p"));
      const image = await client.call(
        "PATCH",
        `${base}/pods/p`,
        { spec: { containers: [{ name: "a", image: "y" }] } },
        strategic,
      );
      expect(image.status).toBe(200);
      const policy = await client.call("PATCH", `${base}/pods/p`, { spec: { restartPolicy: "Never" } }, merge);
      expect([policy.status, policy.body.details.causes?.[0]?.field]).toEqual([422, "spec"]);
    });

    test("the status of a pod by its own path only", async () => {
      await client.call("POST", `${base}/pods`, pod("p"));
      const running = { status: { phase: "Running" } };
      expect((await client.call("PATCH", `${base}/pods/p`, running, merge)).body.status).toMatchObject({
        phase: "Pending",
      });
      expect((await client.call("PATCH", `${base}/pods/p/status`, running, merge)).body.status).toMatchObject({
        phase: "Running",
      });
    });
  });

  describe("applies", () => {
    const path = (manager: string, more = "") => `${base}/configmaps/c?fieldManager=${manager}${more}`;

    test("a manager's fields, and removes those that it no longer applies", async () => {
      expect((await client.call("PATCH", path("one"), configMap("c", {}, { a: "1", b: "2" }), applying)).status).toBe(
        201,
      );
      const second = await client.call("PATCH", path("one"), configMap("c", {}, { a: "1" }), applying);
      expect([second.status, second.body.data]).toEqual([200, { a: "1" }]);
      expect(second.body.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
        ["one", "Apply"],
      ]);
    });

    test("no fields of another manager, unless forced", async () => {
      await client.call("PATCH", path("one"), configMap("c", {}, { a: "1" }), applying);
      const refused = await client.call("PATCH", path("two"), configMap("c", {}, { a: "2" }), applying);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "one": .data.a',
      ]);
      const forced = await client.call("PATCH", path("two", "&force=true"), configMap("c", {}, { a: "2" }), applying);
      expect([forced.status, forced.body.data]).toEqual([200, { a: "2" }]);
    });

    test("only for named managers", async () => {
      const { status } = await client.call("PATCH", `${base}/configmaps/c`, configMap("c"), applying);
      expect(status).toBe(422);
    });
  });

  describe("watches", () => {
    test("existing objects, and then changes", async () => {
      await client.call("POST", `${base}/configmaps`, configMap("c", { labels: { w: "1" } }));
      const events = await client.watch(`${base}/configmaps?watch=true&labelSelector=w`, 4, async () => {
        await client.call("PATCH", `${base}/configmaps/c`, { data: { k: "w" } }, merge);
        await client.call("POST", `${base}/configmaps`, configMap("d", { labels: { w: "1" } }));
        await client.call("DELETE", `${base}/configmaps/c`);
      });
      expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
        ["ADDED", "c"],
        ["MODIFIED", "c"],
        ["ADDED", "d"],
        ["DELETED", "c"],
      ]);
    });

    test("from a revision, in order", async () => {
      const first = await client.call("POST", `${base}/configmaps`, configMap("a"));
      for (const name of ["b", "c", "d"]) await client.call("POST", `${base}/configmaps`, configMap(name));
      const { resourceVersion } = first.body.metadata;
      const events = await client.watch(`${base}/configmaps?watch=true&resourceVersion=${resourceVersion}`, 3);
      expect(events.map(({ object }) => object.metadata.name)).toEqual(["b", "c", "d"]);
      const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(revisions.toSorted((a, b) => a - b)).toEqual(revisions);
    });

    test("an object that no longer matches the selector as deleted", async () => {
      await client.call("POST", `${base}/configmaps`, configMap("c", { labels: { w: "1" } }));
      const events = await client.watch(`${base}/configmaps?watch=true&labelSelector=w%3D1`, 2, () =>
        client.call("PATCH", `${base}/configmaps/c`, { metadata: { labels: { w: "2" } } }, merge),
      );
      expect(events.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
      expect(events[1]?.object.metadata.labels).toEqual({ w: "1" });
    });

    test("not from a forgotten revision", async () => {
      const [event] = await client.watch(`${base}/configmaps?watch=true&resourceVersion=1`, 1, async () => {
        // A new server still stores it: then the first event is a change.
        await client.call("POST", `${base}/configmaps`, configMap("late"));
      });
      expect(["ERROR", "ADDED"]).toContain(event?.type);
      if (event?.type === "ERROR") expect(event.object).toMatchObject({ code: 410, reason: "Expired" });
    });
  });

  describe("deletes", () => {
    test("immediately with a Status; the second time with 404", async () => {
      const created = await client.call("POST", `${base}/configmaps`, configMap("c"));
      const deleted = await client.call("DELETE", `${base}/configmaps/c`);
      expect(deleted.body).toMatchObject({
        kind: "Status",
        status: "Success",
        details: { uid: created.body.metadata.uid },
      });
      expect((await client.call("DELETE", `${base}/configmaps/c`)).status).toBe(404);
    });

    test("a pod on a node after its grace period", async () => {
      await client.call("POST", `${base}/pods`, pod("p", {}, { nodeName: "elsewhere" }));
      const { body } = await client.call("DELETE", `${base}/pods/p`, { gracePeriodSeconds: 20 });
      expect(body.metadata.deletionGracePeriodSeconds).toBe(20);
      expect((await client.call("GET", `${base}/pods/p`)).status).toBe(200);
      await client.call("DELETE", `${base}/pods/p`, { gracePeriodSeconds: 0 });
      expect((await client.call("GET", `${base}/pods/p`)).status).toBe(404);
    });

    test("objects with finalizers only after the last is removed", async () => {
      await client.call("POST", `${base}/configmaps`, configMap("c", { finalizers: ["example.com/x"] }));
      expect((await client.call("DELETE", `${base}/configmaps/c`)).body.metadata.deletionTimestamp).toBeDefined();
      expect((await client.call("GET", `${base}/configmaps/c`)).status).toBe(200);
      await client.call("PATCH", `${base}/configmaps/c`, { metadata: { finalizers: null } }, merge);
      expect((await client.call("GET", `${base}/configmaps/c`)).status).toBe(404);
    });

    test("collections by label and field, as a Spark driver does", async () => {
      for (const id of ["1", "2", "3"])
        await client.call("POST", `${base}/pods`, pod(`e${id}`, { labels: { "spark-exec-id": id } }));
      const selector = encodeURIComponent("spark-exec-id in (1,3)");
      const { body } = await client.call(
        "DELETE",
        `${base}/pods?fieldSelector=status.phase%3DPending&labelSelector=${selector}`,
      );
      expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["e1", "e3"]);
      expect((await client.call("GET", `${base}/pods`)).body.items.map(({ metadata }) => metadata.name)).toEqual([
        "e2",
      ]);
    });

    test("only the object with the client's uid", async () => {
      await client.call("POST", `${base}/configmaps`, configMap("c"));
      expect((await client.call("DELETE", `${base}/configmaps/c`, { preconditions: { uid: "other" } })).status).toBe(
        409,
      );
    });
  });

  describe("garbage-collects", () => {
    const owned = (name: string, uid: string | undefined, more: object = {}) => {
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...more };
      return configMap(name, { ownerReferences: [owner] });
    };
    const isDeleted = (name: string) =>
      until(
        () => client.call("GET", `${base}/configmaps/${name}`),
        ({ status }) => status === 404,
      );

    test("dependents of a deleted owner", async () => {
      const owner = await client.call("POST", `${base}/configmaps`, configMap("owner"));
      await client.call("POST", `${base}/configmaps`, owned("dependent", owner.body.metadata.uid));
      await client.call("DELETE", `${base}/configmaps/owner`, { propagationPolicy: "Background" });
      expect((await isDeleted("dependent")).status).toBe(404);
    });

    test("dependents before a foreground-deleted owner", async () => {
      const owner = await client.call("POST", `${base}/configmaps`, configMap("owner"));
      const held = owned("dependent", owner.body.metadata.uid, { blockOwnerDeletion: true });
      await client.call("POST", `${base}/configmaps`, held);
      const { body } = await client.call("DELETE", `${base}/configmaps/owner`, {
        propagationPolicy: "Foreground",
      });
      expect(body.metadata.finalizers).toEqual(["foregroundDeletion"]);
      expect((await isDeleted("dependent")).status).toBe(404);
      expect((await isDeleted("owner")).status).toBe(404);
    });

    test("no orphaned dependents", async () => {
      const owner = await client.call("POST", `${base}/configmaps`, configMap("owner"));
      await client.call("POST", `${base}/configmaps`, owned("dependent", owner.body.metadata.uid));
      await client.call("DELETE", `${base}/configmaps/owner`, { propagationPolicy: "Orphan" });
      expect((await isDeleted("owner")).status).toBe(404);
      const dependent = await client.call("GET", `${base}/configmaps/dependent`);
      expect(dependent.body.metadata.ownerReferences).toBeUndefined();
    });
  });

  describe("authenticates and authorizes", () => {
    test("users, and permits a service account what its bindings allow", async () => {
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const issued = await client.call("POST", `${base}/serviceaccounts/default/token`, request);
      const { status } = issued.body;
      const token = typeof status === "object" ? String(status["token"]) : "";
      const own = contractClient(target.as(token));
      if (target.as(token) === target.as("admin")) return;
      const denied = await own.call("GET", `${base}/pods`);
      expect([denied.status, denied.body.message]).toEqual([
        403,
        `pods is forbidden: User "system:serviceaccount:${namespace}:default" cannot list resource "pods" in API group "" in the namespace "${namespace}"`,
      ]);
      await client.call("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "edit" },
        subjects: [{ kind: "ServiceAccount", name: "default", namespace }],
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      });
      const allowed = await until(
        () => own.call("GET", `${base}/pods`),
        (response) => response.status === 200,
      );
      expect(allowed.status).toBe(200);
      expect((await contractClient(target.as("wrong")).call("GET", `${base}/pods`)).status).toBe(401);
      expect((await contractClient(target.as(undefined)).call("GET", `${base}/pods`)).status).toBe(403);
      expect((await contractClient(target.as(undefined)).call("GET", "/version")).status).toBe(200);
    });
  });

  test("empties a terminating namespace and rejects new objects in it", async () => {
    await client.call("POST", `${base}/configmaps`, configMap("c", { finalizers: ["example.com/x"] }));
    await client.call("DELETE", `/api/v1/namespaces/${namespace}`);
    const late = await client.call("POST", `${base}/configmaps`, configMap("d"));
    expect([late.status, late.body.details.causes?.[0]?.field]).toEqual([403, "metadata.namespace"]);
    await client.call("PATCH", `${base}/configmaps/c`, { metadata: { finalizers: null } }, merge);
    const gone = await until(
      () => client.call("GET", `/api/v1/namespaces/${namespace}`),
      ({ status }) => status === 404,
    );
    expect(gone.status).toBe(404);
  });

  test("lists the kinds that it serves", async () => {
    const version = await client.call("GET", "/version");
    expect(version.body).toMatchObject({ major: "1" });
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const discovery = await client.call("GET", "/api", undefined, { accept });
    expect(discovery.body.kind).toBe("APIGroupDiscoveryList");
    const plain = await client.call("GET", "/api/v1");
    expect(plain.body.kind).toBe("APIResourceList");
  });
});
