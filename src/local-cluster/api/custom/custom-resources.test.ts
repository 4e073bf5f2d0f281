import { expect, test } from "vitest";
import { sendRequest } from "../test-requests.ts";
import { definitionsPath, specSchema, widget, widgetApi, widgetDefinition, widgetsPath } from "./test-definitions.ts";

const one = `${widgetsPath}/w`;
const definitionPath = `${definitionsPath}/widgets.example.com`;

test("serves the kind of an established definition until it is deleted", async () => {
  const api = await widgetApi();
  const { body: definition } = await sendRequest(api, "GET", { path: definitionPath });
  expect(definition.status).toEqual({
    acceptedNames: {
      ...{ plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wi"] },
    },
    conditions: [
      {
        ...{ type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        lastTransitionTime: "2026-01-02T03:04:05Z",
      },
      {
        ...{ type: "Established", status: "True", reason: "InitialNamesAccepted" },
        ...{ message: "the initial names have been accepted", lastTransitionTime: "2026-01-02T03:04:05Z" },
      },
    ],
    storedVersions: ["v1"],
  });
  const body = widget({ spec: { size: 1 } });
  const created = await sendRequest(api, "POST", { path: widgetsPath, body });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ ...body, metadata: { name: "w", namespace: "default", generation: 1 } });
  expect((await sendRequest(api, "GET", { path: widgetsPath })).body).toMatchObject({
    ...{ kind: "WidgetList", apiVersion: "example.com/v1", items: [{ spec: { size: 1 } }] },
  });
  const deleted = await sendRequest(api, "DELETE", { path: definitionPath });
  expect(deleted.body.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
  expect(deleted.body.status.conditions.at(-1)).toMatchObject({ type: "Terminating", status: "True" });
  const rejected = await sendRequest(api, "POST", { path: widgetsPath, body: widget({}, { name: "x" }) });
  expect(rejected.body.message).toBe(
    'widgets.example.com "x" is forbidden: create not allowed while custom resource definition is terminating',
  );
  await api.host.advance(1);
  expect((await sendRequest(api, "GET", { path: definitionPath })).status).toBe(404);
  expect(await sendRequest(api, "GET", { path: one })).toMatchObject({
    ...{ status: 404, body: { message: "404 page not found\n" } },
  });
  expect(api.scope.store.list("widgets.example.com")).toEqual([]);
});

test("keeps a deleted definition until its custom resources have no finalizers", async () => {
  const api = await widgetApi();
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({}, { finalizers: ["example.com/f"] }) });
  await sendRequest(api, "DELETE", { path: definitionPath });
  await api.host.advance(1);
  const { body } = await sendRequest(api, "GET", { path: definitionPath });
  expect(body.status.conditions.at(-1)).toMatchObject({ status: "True", reason: "InstanceDeletionInProgress" });
  const type = "application/merge-patch+json";
  await sendRequest(api, "PATCH", { path: one, type, body: { metadata: { finalizers: null } } });
  await api.host.advance(1);
  expect((await sendRequest(api, "GET", { path: definitionPath })).status).toBe(404);
});

test("accepts the names of a definition when another one no longer has them", async () => {
  const api = await widgetApi();
  const other = widgetDefinition({ name: "gadgets.example.com", names: { plural: "gadgets", kind: "Gadget" } });
  await sendRequest(api, "POST", { path: definitionsPath, body: other });
  await api.host.advance(1);
  const path = `${definitionsPath}/gadgets.example.com`;
  const { body } = await sendRequest(api, "GET", { path });
  expect(body.status.conditions).toMatchObject([
    { type: "NamesAccepted", status: "False", reason: "ShortNamesConflict", message: '"wi" is already in use' },
    { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
  ]);
  const gadgets = "/apis/example.com/v1/gadgets";
  expect((await sendRequest(api, "GET", { path: gadgets })).status).toBe(404);
  await sendRequest(api, "DELETE", { path: definitionPath });
  await api.host.advance(1);
  await api.host.advance(1);
  expect((await sendRequest(api, "GET", { path: gadgets })).status).toBe(200);
});

test("prunes, defaults and validates by the schema", async () => {
  const schema = specSchema(
    { size: { type: "integer", minimum: 1 }, color: { type: "string", default: "red", enum: ["red", "blue"] } },
    { required: ["size"] },
  );
  const api = await widgetApi({ schema });
  const created = await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: { size: 2, x: 1 } }) });
  expect(created.body.spec).toEqual({ size: 2, color: "red" });
  expect(created.headers["warning"]).toBe('299 - "unknown field \\"spec.x\\""');
  const strict = await sendRequest(api, "POST", {
    path: `${widgetsPath}?fieldValidation=Strict`,
    body: widget({ spec: { size: 2, x: 1 } }, { name: "y", z: 1 }),
  });
  expect(strict.body.message).toBe(
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.z", unknown field "spec.x"',
  );
  const invalid = await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: { color: "green" } }) });
  expect(invalid.status).toBe(422);
  expect(invalid.body.message).toBe(
    'Widget.example.com "w" is invalid: [spec.color: Unsupported value: "green": supported values: "red", "blue", spec.size: Required value]',
  );
});

test("increases the generation for changes besides the metadata and status", async () => {
  const api = await widgetApi({
    version: { subresources: { status: {} } },
    schema: specSchema({ a: { type: "integer" } }),
  });
  await sendRequest(api, "POST", { path: widgetsPath, body: widget({ spec: { a: 1 }, status: { x: 1 } }) });
  const type = "application/merge-patch+json";
  const patch = async (body: object, part = "") =>
    (await sendRequest(api, "PATCH", { path: `${one}${part}`, type, body })).body;
  expect(await patch({ metadata: { labels: { l: "1" } } })).toMatchObject({ metadata: { generation: 1 } });
  const changed = await patch({ spec: { a: 2 }, status: { x: 2 } });
  expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { a: 2 } });
  expect(changed.status).toBeUndefined();
  const status = await patch({ spec: { a: 3 }, status: { x: 3 }, metadata: { labels: { l: "2" } } }, "/status");
  expect(status).toMatchObject({ metadata: { generation: 2, labels: { l: "1" } }, spec: { a: 2 }, status: { x: 3 } });
  const replaced = await sendRequest(api, "PUT", { path: one, body: widget({ spec: { a: 2 } }) });
  expect(replaced.body.message).toContain(
    "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
  );
});

test("rejects strategic merge patches and protobuf", async () => {
  const api = await widgetApi();
  await sendRequest(api, "POST", { path: widgetsPath, body: widget() });
  const type = "application/strategic-merge-patch+json";
  const { status, body } = await sendRequest(api, "PATCH", { path: one, type, body: {} });
  expect({ status, message: body.message }).toEqual({
    status: 415,
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, " +
      "application/merge-patch+json, application/apply-patch+yaml",
  });
  const accept = "application/vnd.kubernetes.protobuf";
  expect((await sendRequest(api, "GET", { path: one, accept })).status).toBe(406);
});
