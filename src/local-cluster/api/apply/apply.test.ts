import { describe, expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { structType } from "../schema/schema.ts";
import { FieldSetError, parseFieldSet, printFieldSet, printPaths } from "./field-set.ts";
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

  test("are steps of known kinds", () => {
    const fields = { "f:a": { 'v:"x"': {}, "i:0": {}, 'k:{"b":1}': { ".": null } }, "q:new": 3 };
    expect(printFieldSet(parseFieldSet(fields))).toEqual({ "f:a": { 'v:"x"': {}, "i:0": {}, 'k:{"b":1}': {} } });
    expect(printFieldSet(parseFieldSet(JSON.parse('{"f:__proto__":{},"f:constructor":{}}')))).toEqual(
      JSON.parse('{"f:__proto__":{},"f:constructor":{}}'),
    );
  });

  test.each([
    [3],
    [[]],
    [{ "f:a": 3 }],
    [{ f: {} }],
    [{ "": {} }],
    [{ "i:x": {} }],
    [{ "v:{": {} }],
    [{ "v:[[]]": {} }],
    [{ "k:{": {} }],
    [{ "k:[1]": {} }],
    [{ 'k:{"a":{}}': {} }],
  ])("are rejected: %j", (fields) => {
    expect(() => parseFieldSet(fields)).toThrow(FieldSetError);
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

// Expected managers are those of Kubernetes 1.35.4.
describe("the managers of an object", () => {
  const path = "/api/v1/namespaces/default/configmaps/c";
  const object = (metadata: object, data: object) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", ...metadata }, data },
  });
  const entry = {
    ...{ manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", time: "2026-01-01T00:00:00Z" },
    fieldsV1: { "f:data": { "f:k": {} } },
  };

  async function setup() {
    const api = testApi();
    await api.call("POST", path.slice(0, -2), { body: object({}, { k: "v" }), headers: { "user-agent": "test/1" } });
    const merge = (manager: string, body: object) =>
      api.call("PATCH", `${path}?fieldManager=${manager}`, {
        ...{ body, headers: { "content-type": "application/merge-patch+json" } },
      });
    const put = (body: object) => api.call("PUT", path, { body, headers: { "user-agent": "test/1" } });
    const managers = async () => {
      const { metadata } = JSON.parse(await (await api.call("GET", path)).text());
      const entries: readonly { manager: string; fieldsV1: { "f:data": object } }[] = metadata.managedFields ?? [];
      return entries.map(({ manager, fieldsV1 }) => `${manager}: ${Object.keys(fieldsV1["f:data"]).join(" ")}`);
    };
    return { merge, put, managers };
  }

  test("that updated it are at most ten; the oldest ones are merged", async () => {
    const { merge, managers } = await setup();
    for (let index = 10; index < 25; index += 1) await merge(`m${index}`, { data: { [`k${index}`]: "1" } });
    const kept = Array.from({ length: 8 }, (_, index) => `m${index + 17}: f:k${index + 17}`);
    expect(await managers()).toEqual(
      ["ancient-changes: f:k10 f:k11 f:k12 f:k13 f:k14 f:k15 f:k16", ...kept, "test: . f:k"].sort(),
    );
    await merge("z", { data: { z: "1" } });
    expect(await managers()).toEqual(
      [
        "ancient-changes: f:k10 f:k11 f:k12 f:k13 f:k14 f:k15 f:k16 f:k17",
        ...[...kept.slice(1), "test: . f:k", "z: f:z"],
      ].sort(),
    );
  });

  test("can be set by a client", { tags: "long" }, async () => {
    const { put, managers } = await setup();
    await put(object({ managedFields: [entry] }, { k: "v", z: "1" }));
    expect(await managers()).toEqual(["m: f:k", "test: f:z"]);
    const many = Array.from({ length: 10_000 }, (_, index) => ({ ...entry, manager: `m${index}` }));
    await put(object({ managedFields: many }, { k: "v", z: "1" }));
    expect(await managers()).toHaveLength(10);
  });

  test.each([
    [{ operation: "Dance" }],
    [{ fieldsType: "X" }],
    [{ apiVersion: "" }],
    [{ fieldsV1: 3 }],
    [{ fieldsV1: { "f:data": 3 } }],
    [{ fieldsV1: { "k:{": {} } }],
  ])("are ignored if they are invalid: %j", async (invalid) => {
    const { put, managers } = await setup();
    await put(object({ managedFields: [{ ...entry, ...invalid }] }, { z: "1" }));
    expect(await managers()).toEqual(["test: . f:z"]);
  });

  test.each([["[]"], ["[{}]"]])("are reset by %s", async (managedFields) => {
    const { merge, put, managers } = await setup();
    await merge("other", { metadata: { managedFields: JSON.parse(managedFields) } });
    expect(await managers()).toEqual([]);
    await put(object({ managedFields: JSON.parse(managedFields) }, { z: "1" }));
    expect(await managers()).toEqual([]);
  });
});
