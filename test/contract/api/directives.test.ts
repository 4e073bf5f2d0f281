import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { configMap } from "./objects.ts";

const strategic = { type: "application/strategic-merge-patch+json" };
const finalizers = ["example.com/a", "example.com/b"];

const podSpec = {
  containers: [
    { name: "a", image: "a:1", args: ["1"], env: [{ name: "A", value: "1" }] },
    { name: "b", image: "b:1" },
  ],
  volumes: [{ name: "v", emptyDir: {} }],
  nodeSelector: { n: "1" },
};

type PodSpec = { containers: { name: string }[]; volumes?: object[]; nodeSelector?: object };

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const path = () => `/apis/apps/v1/namespaces/${api.namespace}/deployments`;

  async function create() {
    const labels = { app: "x" };
    const { status } = await api.client.call("POST", path(), {
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d", finalizers } },
      spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    });
    expect(status).toBe(201);
  }

  /** Patches the template of the deployment, and returns the specification of its pods, or the status. */
  async function patch(body: object): Promise<PodSpec> {
    const { body: found } = await api.client.call("PATCH", `${path()}/d`, body, strategic);
    return JSON.parse(JSON.stringify(found.spec)).template.spec;
  }
  const statusOf = async (body: object) => (await api.client.call("PATCH", `${path()}/d`, body, strategic)).status;
  const template = (spec: object) => ({ spec: { template: { spec } } });

  test("deletes and replaces items, maps and lists", async () => {
    await create();
    const names = (spec: PodSpec) => spec.containers.map(({ name }) => name);
    expect(names(await patch(template({ containers: [{ name: "b", $patch: "delete" }] })))).toEqual(["a"]);
    expect(names(await patch(template({ containers: [{ name: "none", $patch: "delete" }] })))).toEqual(["a"]);
    const replaced = await patch(template({ containers: [{ name: "z", image: "z:1" }, { $patch: "replace" }] }));
    expect(names(replaced)).toEqual(["z"]);
    expect((await patch(template({ nodeSelector: { $patch: "replace", m: "2" } }))).nodeSelector).toEqual({ m: "2" });
    expect((await patch(template({ nodeSelector: { $patch: "delete" } }))).nodeSelector).toBeUndefined();
    expect((await patch(template({ volumes: [{ $patch: "replace" }] }))).volumes).toBeUndefined();
    await api.client.call("PATCH", `${path()}/d`, { metadata: { finalizers: null } }, strategic);
  });

  test("orders items, deletes scalars, and retains keys", async () => {
    await create();
    const order = { "$setElementOrder/containers": [{ name: "c" }, { name: "b" }, { name: "a" }] };
    const ordered = await patch(template({ ...order, containers: [{ name: "c", image: "c:1" }] }));
    expect(ordered.containers.map(({ name }) => name)).toEqual(["c", "b", "a"]);
    const removal = { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/none"] } };
    const { body } = await api.client.call("PATCH", `${path()}/d`, removal, strategic);
    expect(body.metadata.finalizers).toEqual(["example.com/b"]);
    const strategy = { $retainKeys: ["type"], type: "Recreate" };
    const recreated = await api.client.call("PATCH", `${path()}/d`, { spec: { strategy } }, strategic);
    expect(recreated.body.spec["strategy"]).toEqual({ type: "Recreate" });
    await api.client.call("PATCH", `${path()}/d`, { metadata: { finalizers: null } }, strategic);
  });

  test("rejects unknown and misplaced directives", async () => {
    await create();
    const wrong = [
      template({ nodeSelector: { $patch: "malformed" } }),
      template({ nodeSelector: { $patch: "merge", q: "1" } }),
      template({ containers: [{ $patch: "delete" }] }),
      template({ "$deleteFromPrimitiveList/containers": ["a"] }),
      { spec: { strategy: { $retainKeys: ["x"], type: "Recreate" } } },
      { spec: { strategy: { $retainKeys: "type" } } },
      { $deleteFromPrimitiveList: ["x"] },
    ];
    for (const body of wrong) expect(await statusOf(body)).toBeGreaterThanOrEqual(400);
    await api.client.call("PATCH", `${path()}/d`, { metadata: { finalizers: null } }, strategic);
  });

  test("ignores the kind in a strategic merge patch, and directives in a merge patch", async () => {
    await api.client.call("POST", `${api.base}/configmaps`, configMap("c", {}, { a: "1" }));
    const renamed = await api.client.call("PATCH", `${api.base}/configmaps/c`, { kind: "Secret" }, strategic);
    expect([renamed.status, renamed.body.kind]).toEqual([200, "ConfigMap"]);
    const merged = await api.client.call(
      ...(["PATCH", `${api.base}/configmaps/c`] as const),
      { data: { $patch: "replace", b: "2" } },
      { type: "application/merge-patch+json" },
    );
    // A key of the data like any other, but not a valid one.
    expect([merged.status, merged.body.message]).toEqual([422, expect.stringContaining("data[$patch]: Invalid value")]);
  });
});
