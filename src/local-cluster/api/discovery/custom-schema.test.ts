import { expect, test } from "vitest";
import { specSchema, widgetApi } from "../custom/test-definitions.ts";
import { sendRequest } from "../test-requests.ts";

const schema = specSchema({
  size: { type: "integer", description: "Its size" },
  template: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
  port: { "x-kubernetes-int-or-string": true },
});

const api = () => widgetApi({ schema, version: { subresources: { status: {} } } });

test("lists a custom resource in discovery", async () => {
  const served = await api();
  const { body } = await sendRequest(served, "GET", { path: "/apis/example.com/v1" });
  expect(body).toEqual({
    ...{ kind: "APIResourceList", apiVersion: "v1", groupVersion: "example.com/v1" },
    resources: [
      {
        ...{ name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", shortNames: ["wi"] },
        verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
      },
      {
        ...{ name: "widgets/status", singularName: "", namespaced: true, kind: "Widget" },
        verbs: ["get", "patch", "update"],
      },
    ],
  });
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const aggregated = await sendRequest(served, "GET", { path: "/apis", accept });
  expect(aggregated.body.items.at(-1)).toMatchObject({
    metadata: { name: "example.com" },
    versions: [{ version: "v1", resources: [{ resource: "widgets", scope: "Namespaced" }] }],
  });
});

test("describes a custom resource in OpenAPI v3, in a document whose URL changes with the definition", async () => {
  const served = await api();
  const { body: index } = await sendRequest(served, "GET", { path: "/openapi/v3" });
  const url = index.paths["apis/example.com/v1"].serverRelativeURL;
  expect(url).toMatch(/^\/openapi\/v3\/apis\/example.com\/v1\?hash=firesteel-1-\d+$/);
  const { body } = await sendRequest(served, "GET", { path: url });
  const widget = body.components.schemas["com.example.v1.Widget"];
  expect(widget.properties.spec.properties.size).toEqual({ type: "integer", description: "Its size" });
  expect(Object.keys(widget.properties)).toEqual(["spec", "status", "apiVersion", "kind", "metadata"]);
  expect(widget.properties.spec.properties.template).toMatchObject({ required: ["kind", "apiVersion"] });
  expect(body.components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]).toBeDefined();
  expect(Object.keys(body.paths)).toContain("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}");
});

test("describes less in OpenAPI v2, and nothing in protobuf", async () => {
  const served = await api();
  const { body } = await sendRequest(served, "GET", { path: "/openapi/v2" });
  const { spec, status } = body.definitions["com.example.v1.Widget"].properties;
  expect(spec.properties.port).toEqual({ "x-kubernetes-int-or-string": true });
  expect(status).toEqual({ "x-kubernetes-preserve-unknown-fields": true });
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const response = await served.call("GET", "/openapi/v2", { headers: { accept } });
  expect(response.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  expect(await response.text()).toBe("\n\x032.0\x12\x13\n\nKubernetes\x12\x05v1.35B\0");
});
