import { describe, expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { structType } from "../schema/schema.ts";
import { parseFieldSet, printFieldSet, printPaths } from "./field-set.ts";
import { compare, fieldsOf, merge, rootShape } from "./typed-value.ts";

const shape = rootShape(structType("core.Pod"));
const pod = (...containers: object[]) => ({ spec: { containers } });

describe("the fields of an object", () => {
  test("are identified by the keys of list items", () => {
    const fields = fieldsOf(pod({ name: "a", ports: [{ containerPort: 80 }] }), shape);
    expect(printPaths(fields)).toEqual([
      '.spec.containers[name="a"]',
      '.spec.containers[name="a"].name',
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]',
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].containerPort',
    ]);
  });

  test("are written and read back", () => {
    const written = { "f:spec": { "f:containers": { 'k:{"name":"a"}': { ".": {}, "f:image": {} } } } };
    expect(printFieldSet(parseFieldSet(written))).toEqual(written);
  });

  test("that differ are written or removed", () => {
    const { written, removed } = compare(pod({ name: "a", image: "x" }), pod({ name: "b" }), shape);
    expect(printPaths(written)).toContain('.spec.containers[name="b"]');
    expect(printPaths(removed)).toContain('.spec.containers[name="a"].image');
  });
});

test("a configuration merges into lists by key, in its own order", () => {
  const live = pod({ name: "a", image: "x" }, { name: "b", image: "y" }, { name: "c" });
  const merged = merge(live, pod({ name: "c", image: "z" }, { name: "a", args: ["1"] }), shape);
  expect(merged).toEqual(
    pod({ name: "b", image: "y" }, { name: "c", image: "z" }, { name: "a", image: "x", args: ["1"] }),
  );
});

describe("server-side apply", () => {
  const path = "/api/v1/namespaces/default/configmaps/c";
  const config = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data });
  const setup = () => {
    const api = testApi();
    const headers = { "content-type": "application/apply-patch+yaml" };
    const apply = async (manager: string, data: object, query = "") => {
      const options = { headers, body: config(data) };
      const response = await api.call("PATCH", `${path}?fieldManager=${manager}${query}`, options);
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    return { api, apply };
  };

  test("creates missing objects and removes fields that are no longer applied", async () => {
    const { apply } = setup();
    expect((await apply("one", { a: "1", b: "2" })).status).toBe(201);
    const again = await apply("one", { a: "1" });
    expect(again).toMatchObject({ status: 200, body: { data: { a: "1" } } });
    expect(again.body.data).not.toHaveProperty("b");
  });

  test("shares equal fields and rejects changes of fields that another manager owns", async () => {
    const { apply } = setup();
    await apply("one", { a: "1" });
    expect((await apply("two", { a: "1", b: "2" })).status).toBe(200);
    const conflict = await apply("two", { a: "9", b: "2" });
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .data.a' },
    });
    const forced = await apply("two", { a: "9", b: "2" }, "&force=true");
    expect(forced.body.data).toEqual({ a: "9", b: "2" });
    expect((await apply("one", {})).body.data).toEqual({ a: "9", b: "2" });
  });

  test("leaves the revision when nothing changes", async () => {
    const { api, apply } = setup();
    const first = await apply("one", { a: "1" });
    await api.host.advance(5_000);
    const second = await apply("one", { a: "1" });
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });
});
