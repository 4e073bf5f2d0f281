import { expect, test } from "vitest";
import { sendRequest } from "../test-requests.ts";
import { anyFields, definitionsPath, specSchema, widget, widgetApi, widgetsPath } from "./test-definitions.ts";

const one = `${widgetsPath}/w`;
const merge = "application/merge-patch+json";
const v2 = (path: string) => path.replace("/v1/", "/v2/");

const version2 = (schema: object = anyFields) => ({
  ...{ name: "v2", served: true, storage: false, schema: { openAPIV3Schema: schema } },
});

test("converts between versions by changing apiVersion", async () => {
  const schema = specSchema({ a: { type: "string" } });
  const api = await widgetApi({ schema, versions: [version2(specSchema({ b: { type: "string" } }))] });
  const created = await sendRequest(api, "POST", {
    path: v2(widgetsPath),
    body: { ...widget({ spec: { b: "x" } }), apiVersion: "example.com/v2" },
  });
  expect(created.status).toBe(201);
  const stored = api.scope.store.get("widgets.example.com", "default", "w");
  expect(stored).toMatchObject({ apiVersion: "example.com/v1", spec: {} });
  const patched = await sendRequest(api, "PATCH", { path: one, type: merge, body: { spec: { a: "y" } } });
  expect(patched.body).toMatchObject({ apiVersion: "example.com/v1", spec: { a: "y" } });
  const { body } = await sendRequest(api, "GET", { path: v2(one) });
  expect(body).toMatchObject({ apiVersion: "example.com/v2", spec: {} });
  const wrong = await sendRequest(api, "POST", { path: v2(widgetsPath), body: widget({}, { name: "x" }) });
  expect(wrong.body.message).toBe(
    "the API version in the data (example.com/v1) does not match the expected API version (example.com/v2)",
  );
});

test("sets new defaults of objects that are already stored", async () => {
  const api = await widgetApi({ schema: specSchema({ a: { type: "string" } }) });
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: {} }) });
  const changed = {
    op: "add",
    path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/default",
    value: "A",
  };
  const path = `${definitionsPath}/widgets.example.com`;
  await sendRequest(api, "PATCH", { path, type: "application/json-patch+json", body: [changed] });
  expect((await sendRequest(api, "GET", { path: one })).body.spec).toEqual({ a: "A" });
  expect((await sendRequest(api, "GET", { path: widgetsPath })).body.items[0].spec).toEqual({ a: "A" });
  const { body } = await sendRequest(api, "PATCH", {
    path: one,
    type: merge,
    body: { metadata: { labels: { a: "b" } } },
  });
  expect(body).toMatchObject({ spec: { a: "A" }, metadata: { generation: 1 } });
});

test("owns and prunes fields by server-side apply", async () => {
  const list = {
    ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    items: { type: "object", required: ["k"], properties: { k: { type: "string" }, n: { type: "integer" } } },
  };
  const api = await widgetApi({
    schema: specSchema({ list, set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } }),
  });
  const type = "application/apply-patch+yaml";
  const apply = (manager: string, spec: object) =>
    sendRequest(api, "PATCH", { path: `${one}?fieldManager=${manager}`, type, body: JSON.stringify(widget({ spec })) });
  expect((await apply("a", { list: [{ k: "x", n: 1 }, { k: "y" }], set: ["1"] })).status).toBe(201);
  expect((await apply("b", { list: [{ k: "z" }], set: ["2"] })).body.spec).toEqual({
    ...{ list: [{ k: "x", n: 1 }, { k: "y" }, { k: "z" }], set: ["1", "2"] },
  });
  expect((await apply("a", { list: [{ k: "x" }] })).body.spec).toEqual({ list: [{ k: "x" }, { k: "z" }], set: ["2"] });
  const conflict = await apply("b", { list: [{ k: "x", n: 2 }] });
  expect(conflict.status).toBe(200);
  const unknown = await apply("a", { other: 1 });
  expect(unknown.body.message).toBe(
    "failed to create typed patch object (default/w; example.com/v1, Kind=Widget): .spec.other: field not declared in schema",
  );
});

test("reads and writes the number of replicas at the definition's paths", async () => {
  const scale = {
    specReplicasPath: ".spec.count",
    statusReplicasPath: ".status.count",
    labelSelectorPath: ".status.selector",
  };
  const api = await widgetApi({ version: { subresources: { status: {}, scale } } });
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: {} }) });
  const missing = await sendRequest(api, "GET", { path: `${one}/scale` });
  expect(missing.body.message).toBe('Internal error occurred: the spec replicas field ".spec.count" does not exist');
  await sendRequest(api, "PATCH", { path: one, type: merge, body: { spec: { count: 1 } } });
  await sendRequest(api, "PATCH", {
    path: `${one}/status`,
    type: merge,
    body: { status: { count: 3, selector: "a=b" } },
  });
  const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "w" }, spec: { replicas: 4 } };
  const { body: updated } = await sendRequest(api, "PUT", { path: `${one}/scale`, body });
  expect(updated).toMatchObject({ kind: "Scale", spec: { replicas: 4 }, status: { replicas: 3, selector: "a=b" } });
  expect((await sendRequest(api, "GET", { path: one })).body).toMatchObject({
    spec: { count: 4 },
    metadata: { generation: 3 },
  });
  const negative = await sendRequest(api, "PATCH", { path: one, type: merge, body: { spec: { count: -1 } } });
  expect(negative.body.message).toContain(".spec.count: Invalid value: -1: should be a non-negative integer");
});

test("selects by the fields that the definition names", async () => {
  const schema = specSchema({ color: { type: "string" } });
  const api = await widgetApi({ schema, version: { selectableFields: [{ jsonPath: ".spec.color" }] } });
  for (const color of ["red", "blue"]) {
    await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: { color } }, { name: color }) });
  }
  const select = async (selector: string) =>
    (await sendRequest(api, "GET", { path: `${widgetsPath}?fieldSelector=${encodeURIComponent(selector)}` })).body;
  expect((await select("spec.color=red")).items).toMatchObject([{ metadata: { name: "red" } }]);
  expect((await select("metadata.name=blue")).items).toHaveLength(1);
  expect((await select("spec.x=1")).message).toBe("field label not supported: spec.x");
});

test("prints the columns of the definition", async () => {
  const additionalPrinterColumns = [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "The size" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
  ];
  const api = await widgetApi({ version: { additionalPrinterColumns } });
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: { size: 2 }, status }) });
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { body } = await sendRequest(api, "GET", { path: widgetsPath, accept });
  expect(
    body.columnDefinitions.map(({ name, description, priority }: Record<string, unknown>) => [
      name,
      description,
      priority,
    ]),
  ).toEqual([
    ["Name", "", 0],
    ["Size", "The size", 0],
    [
      "Ready",
      'Custom resource definition column (in JSONPath format): .status.conditions[?(@.type=="Ready")].status',
      1,
    ],
  ]);
  expect(body.rows[0].cells).toEqual(["w", 2, "True"]);
});

test("deletes the selected objects of a collection", async () => {
  const api = await widgetApi();
  for (const name of ["a", "b"]) {
    await sendRequest(api, "POST", { path: widgetsPath, body: widget({}, { name, labels: { name } }) });
  }
  await sendRequest(api, "DELETE", { path: `${widgetsPath}?labelSelector=name%3Da` });
  expect((await sendRequest(api, "GET", { path: widgetsPath })).body.items).toMatchObject([
    { metadata: { name: "b" } },
  ]);
});

test("warns about a deprecated version", async () => {
  const api = await widgetApi({ version: { deprecated: true }, versions: [version2()] });
  const { headers } = await sendRequest(api, "GET", { path: widgetsPath });
  expect(headers["warning"]).toBe('299 - "example.com/v1 Widget is deprecated; use example.com/v2 Widget"');
});

test("reports a missing kind, another kind, and duplicate fields", async () => {
  const api = await widgetApi();
  const post = async (body: unknown, query = "") =>
    (await sendRequest(api, "POST", { path: `${widgetsPath}${query}`, body })).body;
  expect((await post({ metadata: { name: "x" } })).message).toContain("Object 'Kind' is missing in");
  expect((await post({ ...widget(), kind: "Other" })).message).toBe(
    'Widget.example.com "w" is invalid: kind: Invalid value: "Other": must be Widget',
  );
  const repeated = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"a":1,"a":2}}';
  expect((await post(repeated, "?fieldValidation=Strict")).message).toContain('duplicate field "spec.a"');
});

test("warns about finalizers without a prefix", async () => {
  const api = await widgetApi();
  const { status, headers } = await sendRequest(api, "POST", {
    path: widgetsPath,
    body: widget({}, { finalizers: ["a.b"] }),
  });
  expect(status).toBe(201);
  expect(headers["warning"]).toContain("prefer a domain-qualified finalizer name including a path (/)");
});

test("reports an unknown subresource and version as not found", async () => {
  const api = await widgetApi();
  await sendRequest(api, "POST", { path: widgetsPath, body: widget() });
  expect((await sendRequest(api, "GET", { path: `${one}/status` })).body.message).toBe(
    'widgets.example.com "w" not found',
  );
  expect((await sendRequest(api, "GET", { path: v2(one) })).status).toBe(404);
});

test("watches custom resources in the requested version until the definition is deleted", async () => {
  const api = await widgetApi({ versions: [version2()] });
  const { body } = await api.call("GET", `${v2(widgetsPath)}?watch=true`);
  await sendRequest(api, "POST", { path: widgetsPath, body: widget() });
  await sendRequest(api, "DELETE", { path: `${definitionsPath}/widgets.example.com` });
  await api.host.advance(1);
  const events: unknown[] = [];
  for await (const chunk of body) events.push(JSON.parse(Buffer.from(chunk).toString("utf8")));
  expect(events).toMatchObject([
    { type: "ADDED", object: { apiVersion: "example.com/v2", metadata: { name: "w" } } },
    { type: "DELETED", object: { apiVersion: "example.com/v2" } },
  ]);
});
