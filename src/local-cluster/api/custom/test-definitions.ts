import { expect } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";
import type { JsonObject } from "../json.ts";
import { sendRequest } from "../test-requests.ts";

/** Path of the custom resource definitions. */
export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Path of the custom resources that tests write. */
export const widgetsPath = "/apis/example.com/v1/namespaces/default/widgets";

interface TestDefinition {
  /** Schema of the version v1. @default objects with any fields */
  readonly schema?: object;
  /** Further fields of the version v1. */
  readonly version?: object;
  /** Further versions. */
  readonly versions?: readonly object[];
  readonly names?: object;
  readonly spec?: object;
  readonly name?: string;
}

/** Schema of objects with any fields. */
export const anyFields = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Builds the definition of widgets. */
export function widgetDefinition({
  schema = anyFields,
  version,
  versions = [],
  names,
  spec,
  name,
}: TestDefinition = {}) {
  const first = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: name ?? "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wi"], ...names },
      scope: "Namespaced",
      versions: [first, ...versions],
      ...spec,
    },
  };
}

/** Creates an API that serves widgets. */
export async function widgetApi(definition: TestDefinition = {}): Promise<TestApi> {
  const api = testApi();
  const { status, body } = await sendRequest(api, "POST", {
    path: definitionsPath,
    body: widgetDefinition(definition),
  });
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  await api.host.advance(1);
  return api;
}

/** Builds a widget. */
export function widget(fields: JsonObject = {}, metadata: JsonObject = {}) {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", ...metadata }, ...fields };
}

/** Schema of an object with these properties in its spec. */
export function specSchema(properties: object, more: object = {}) {
  return {
    type: "object",
    properties: { spec: { type: "object", properties, ...more }, status: anyFields },
  };
}
