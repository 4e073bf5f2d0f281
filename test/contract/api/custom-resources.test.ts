import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace, until } from "./api-namespace.ts";
import { mergePatch } from "./objects.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1 },
        color: { type: "string", default: "red", enum: ["red", "blue"] },
        ports: {
          ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, port: { type: "integer" } },
          },
        },
      },
    },
    status: { type: "object", properties: { size: { type: "integer" } } },
  },
};

function version(name: string, more: object = {}) {
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  return {
    ...{ name, served: true, storage: false, schema: { openAPIV3Schema: schema }, subresources: { status: {}, scale } },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
    selectableFields: [{ jsonPath: ".spec.color" }],
    ...more,
  };
}

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);

  /** Creates a definition in a group of the running test, waits until its kind is served, and returns the group and paths. */
  async function define(versions: readonly object[] = [version("v1", { storage: true })]) {
    const group = `${api.namespace}.example.com`;
    const path = `${definitions}/widgets.${group}`;
    const { status } = await api.client.call("POST", definitions, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: `widgets.${group}` },
      spec: { group, scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions },
    });
    expect(status).toBe(201);
    const widgets = `/apis/${group}/v1/namespaces/${api.namespace}/widgets`;
    await until(
      () => api.client.call("GET", widgets),
      (response) => response.status === 200,
    );
    const widget = (name: string, spec: object, more: object = {}) => ({
      ...{ apiVersion: `${group}/v1`, kind: "Widget", metadata: { name, ...more }, spec },
    });
    return { group, path, widgets, widget };
  }

  test("accepts the names of a definition, and serves its kind in discovery", async () => {
    const { group, path } = await define([version("v1", { storage: true }), version("v2beta1"), version("v2")]);
    const { body } = await api.client.call("GET", path);
    expect(body.status).toMatchObject({
      acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        { type: "Established", status: "True", reason: "InitialNamesAccepted" },
      ],
      storedVersions: ["v1"],
    });
    const found = await until(
      () => api.client.call("GET", `/apis/${group}`),
      (response) => response.status === 200,
    );
    expect(found.body).toMatchObject({
      versions: [{ version: "v2" }, { version: "v1" }, { version: "v2beta1" }],
      preferredVersion: { groupVersion: `${group}/v2` },
    });
    await api.client.call("DELETE", path);
  });

  test("rejects definitions with Kubernetes' messages", async () => {
    const group = `${api.namespace}.example.com`;
    const names = { plural: "widgets", kind: "Widget" };
    const untyped = { openAPIV3Schema: { type: "object", properties: { a: {} } } };
    const { status, body } = await api.client.call("POST", definitions, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `x.${group}` } },
      spec: {
        group,
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: false, schema: untyped }],
      },
    });
    expect(status).toBe(422);
    expect(body.details.causes?.map(({ field, message }) => `${field}: ${message?.slice(0, 60)}`)).toEqual(
      expect.arrayContaining([
        `metadata.name: ${`Invalid value: "x.${group}": must be spec.names.plural`.slice(0, 60)}`,
        "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object field",
      ]),
    );
  });

  test("matches patterns as Go does, and rejects those that Go cannot compile", async () => {
    const pattern = (text: string) => [
      version("v1", {
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { a: { type: "string", pattern: text } } } },
          },
        },
        subresources: {},
        selectableFields: [],
        additionalPrinterColumns: [],
      }),
    ];
    const { path, widgets, widget } = await define(pattern("(?i)^(?P<word>[[:alpha:]]+)\\z"));
    expect((await api.client.call("POST", widgets, widget("a", { a: "Word" }))).status).toBe(201);
    const { status, body } = await api.client.call("POST", widgets, widget("b", { a: "1" }));
    expect([status, body.details.causes?.[0]?.message]).toEqual([
      422,
      expect.stringContaining("spec.a in body should match"),
    ]);
    const { body: definition } = await api.client.call("GET", path);
    const changed = JSON.parse(JSON.stringify(definition));
    changed.spec.versions = pattern("(?=a)");
    const rejected = await api.client.call("PUT", path, changed);
    expect([rejected.status, rejected.body.details.causes?.[0]?.message]).toEqual([
      422,
      expect.stringContaining(
        "must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
      ),
    ]);
    await api.client.call("DELETE", path);
  });

  test("prunes, defaults and validates custom resources", async () => {
    const { group, path, widgets, widget } = await define();
    const created = await api.client.call("POST", widgets, widget("a", { size: 1, other: 2 }));
    expect([created.status, created.body.spec, created.body.metadata.generation]).toEqual([
      201,
      { size: 1, color: "red" },
      1,
    ]);
    const strict = await api.client.call(
      "POST",
      `${widgets}?fieldValidation=Strict`,
      widget("b", { size: 1, other: 2 }),
    );
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.other"');
    const invalid = await api.client.call("POST", widgets, widget("b", { color: "green", size: 0 }));
    expect(invalid.body.message).toContain(`Widget.${group} "b" is invalid`);
    expect(invalid.body.details.causes).toEqual(
      expect.arrayContaining([
        {
          ...{ reason: "FieldValueNotSupported", field: "spec.color" },
          message: 'Unsupported value: "green": supported values: "red", "blue"',
        },
        {
          ...{ reason: "FieldValueInvalid", field: "spec.size" },
          message: "Invalid value: 0: spec.size in body should be greater than or equal to 1",
        },
      ]),
    );
    const twice = await api.client.call(
      "POST",
      widgets,
      widget("b", { size: 1, ports: [{ name: "p" }, { name: "p" }] }),
    );
    expect(twice.body.message).toContain('spec.ports[1]: Duplicate value: {"name":"p"}');
    await api.client.call("DELETE", path);
  });

  test("writes the status and scale by their subresources only", async () => {
    const { path, widgets, widget } = await define();
    await api.client.call("POST", widgets, { ...widget("a", { size: 1 }), status: { size: 5 } });
    const patch = async (part: string, body: object) =>
      (await api.client.call("PATCH", `${widgets}/a${part}`, body, mergePatch)).body;
    expect((await patch("", { status: { size: 6 }, metadata: { labels: { a: "b" } } })).metadata.generation).toBe(1);
    const status = await patch("/status", { spec: { size: 9 }, status: { size: 7 } });
    expect([status.spec, status.status, status.metadata.generation]).toEqual([
      { size: 1, color: "red" },
      { size: 7 },
      1,
    ]);
    const scaled = await patch("/scale", { spec: { replicas: 3 } });
    expect([scaled.spec, scaled.status]).toEqual([{ replicas: 3 }, { replicas: 7 }]);
    const { body } = await api.client.call("GET", `${widgets}/a`);
    expect([body.spec["size"], body.metadata.generation]).toEqual([3, 2]);
    await api.client.call("DELETE", path);
  });

  test("rejects strategic merge patches", async () => {
    const { path, widgets, widget } = await define();
    await api.client.call("POST", widgets, widget("a", { size: 1 }));
    const type = "application/strategic-merge-patch+json";
    const { status, body } = await api.client.call("PATCH", `${widgets}/a`, { spec: { size: 2 } }, { type });
    expect([status, body.reason]).toEqual([415, "UnsupportedMediaType"]);
    await api.client.call("DELETE", path);
  });

  test("selects by the fields that a definition names", async () => {
    const { path, widgets, widget } = await define();
    for (const color of ["red", "blue"]) await api.client.call("POST", widgets, widget(color, { size: 1, color }));
    const { body } = await api.client.call("GET", `${widgets}?fieldSelector=spec.color%3Dblue`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["blue"]);
    await api.client.call("DELETE", path);
  });

  test("deletes custom resources with their definition and owner", async () => {
    const { group, path, widgets, widget } = await define();
    const { body: owner } = await api.client.call("POST", widgets, widget("owner", { size: 1 }));
    const reference = { apiVersion: `${group}/v1`, kind: "Widget", name: "owner", uid: owner.metadata.uid };
    await api.client.call("POST", widgets, widget("owned", { size: 1 }, { ownerReferences: [reference] }));
    await api.client.call("DELETE", `${widgets}/owner`);
    const gone = await until(
      () => api.client.call("GET", `${widgets}/owned`),
      ({ status }) => status === 404,
    );
    expect(gone.status).toBe(404);
    await api.client.call("POST", widgets, widget("last", { size: 1 }));
    await api.client.call("DELETE", path);
    const unserved = await until(
      () => api.client.call("GET", path),
      ({ status }) => status === 404,
    );
    expect(unserved.status).toBe(404);
  });
});
