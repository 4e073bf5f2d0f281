import { expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { anyFields, definitionsPath, widgetApi, widgetDefinition } from "../custom/test-definitions.ts";
import { sendRequest } from "../test-requests.ts";

type Change = Parameters<typeof widgetDefinition>[0];

const version = (name: string, more: object = {}) => ({
  ...{ name, served: true, storage: false, schema: { openAPIV3Schema: anyFields } },
  ...more,
});

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
  "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test.each<[string, Change, string]>([
  [
    "another name",
    { name: "x.example.com" },
    'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
  ],
  [
    "a scope",
    { spec: { scope: "X" } },
    'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
  ],
  [
    "a group without a dot",
    { name: "widgets.example", spec: { group: "example" } },
    'spec.group: Invalid value: "example": should be a domain with at least one dot',
  ],
  ["no storage version", { version: { storage: false } }, "must have exactly one version marked as storage version"],
  ["a repeated version", { versions: [version("v1")] }, "must contain unique version names"],
  ["a version's name", { versions: [version("V2")] }, `spec.versions[1].name: Invalid value: "V2": ${label}`],
  ["no schema", { version: { schema: null } }, "spec.versions[0].schema.openAPIV3Schema: Required value"],
  [
    "the schema of all versions",
    { schema: { type: "object", properties: { a: {} } } },
    "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
  ],
  [
    "the schema of one version",
    { versions: [version("v2", { schema: { openAPIV3Schema: { type: "string" } } })] },
    'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
  ],
  ["equal kinds", { names: { listKind: "Widget" } }, "kind and listKind may not be the same"],
  ["a short name", { names: { shortNames: ["W"] } }, `spec.names.shortNames[0]: Invalid value: "W": ${label}`],
  [
    "no conversion webhook",
    { spec: { conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"] } } } },
    "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
  ],
  [
    "a conversion webhook without an address",
    { spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } } } },
    "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
  ],
  [
    "a conversion webhook that accepts no known review",
    {
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v2"] },
        },
      },
    },
    'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
  ],
  [
    "a webhook of the strategy None",
    { spec: { conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } } },
    "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
  ],
  [
    "unknown fields of all versions",
    { spec: { preserveUnknownFields: true } },
    "spec.preserveUnknownFields: Invalid value: true",
  ],
  [
    "a column",
    { version: { additionalPrinterColumns: [{ name: "A", type: "x", jsonPath: "a" }] } },
    'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
  ],
  [
    "paths of the scale",
    { version: { subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: "" } } } },
    'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
  ],
  [
    "fields at the root beside a status",
    { schema: { ...anyFields, minProperties: 1 }, version: { subresources: { status: {} } } },
    "fields are allowed at the root of the schema if the status subresource is enabled",
  ],
  [
    "a selectable field",
    { version: { selectableFields: [{ jsonPath: ".x" }] } },
    'spec.versions[0].selectableFields[0].jsonPath: Invalid value: ".x": is an invalid path: does not refer to a valid field',
  ],
  [
    "a warning of a version that is not deprecated",
    { version: { deprecationWarning: "x" } },
    'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
  ],
  [
    "a group of Kubernetes",
    { name: "widgets.x.k8s.io", spec: { group: "x.k8s.io" } },
    'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io"',
  ],
])("rejects %s", async (_, change, message) => {
  const { status, body } = await sendRequest(testApi(), "POST", {
    path: definitionsPath,
    body: widgetDefinition(change),
  });
  expect(status).toBe(422);
  expect(body.message).toContain(message);
});

test("rejects a schema with a field of the wrong type", async () => {
  const request = { path: definitionsPath, body: widgetDefinition({ schema: { type: 1 } }) };
  const { status, body } = await sendRequest(testApi(), "POST", request);
  expect({ status, message: body.message }).toEqual({
    status: 400,
    message:
      'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal number into Go ' +
      "struct field JSONSchemaProps.type of type string",
  });
});

const patch = "application/merge-patch+json";
const path = `${definitionsPath}/widgets.example.com`;

test("rejects changes of the scope and kind of an established definition", async () => {
  const api = await widgetApi();
  const body = { spec: { scope: "Cluster", names: { kind: "Other" } } };
  const response = await sendRequest(api, "PATCH", { path, type: patch, body });
  expect(response.body.message).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
  expect(response.body.message).toContain('spec.names.kind: Invalid value: "Other": field is immutable');
});

test("keeps the versions in which objects may be stored", async () => {
  const api = await widgetApi();
  const moved = { spec: { versions: [version("v1"), version("v2", { storage: true })] } };
  const { body } = await sendRequest(api, "PATCH", { path, type: patch, body: moved });
  expect(body.status.storedVersions).toEqual(["v1", "v2"]);
  expect(body.metadata.generation).toBe(2);
  const removed = { spec: { versions: [version("v2", { storage: true })] } };
  const rejected = await sendRequest(api, "PATCH", { path, type: patch, body: removed });
  expect(rejected.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
});

test("warns about formats and rules that it does not check", async () => {
  const properties = { a: { type: "string", format: "x", "x-kubernetes-validations": [{ rule: "true" }] } };
  const body = widgetDefinition({ schema: { type: "object", properties } });
  const { headers } = await sendRequest(testApi(), "POST", { path: definitionsPath, body });
  expect(headers["warning"]).toBe(
    '299 - "unrecognized format \\"x\\"", 299 - "x-kubernetes-validations of version v1 are stored, but this API does not evaluate them"',
  );
});
