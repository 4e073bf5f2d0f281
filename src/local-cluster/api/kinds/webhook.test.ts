import { describe, expect, test } from "vitest";
import { testApi } from "../../test-api.ts";
import { sendRequest } from "../test-requests.ts";

const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

const webhook = (fields: object = {}) => ({
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:8443/mutate" },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...fields,
});

const configuration = (...webhooks: readonly object[]) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "c" },
  webhooks,
});

const create = (...webhooks: readonly object[]) =>
  sendRequest(testApi(), "POST", { path, body: configuration(...webhooks) });

/** Returns the fields and messages of the errors of a webhook. */
async function errorsOf(...webhooks: readonly object[]): Promise<readonly string[]> {
  const { status, body } = await create(...webhooks);
  expect(status).toBe(422);
  const causes: readonly { readonly field: string; readonly message: string }[] = body.details.causes;
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe("a webhook configuration", () => {
  test("gets Kubernetes' defaults", async () => {
    const { name, ...service } = { name: "s", namespace: "n", path: "/x" };
    const { status, body } = await create(webhook({ clientConfig: { service: { name, ...service } } }));
    expect(status).toBe(201);
    expect(body.metadata.generation).toBe(1);
    expect(body.webhooks).toEqual([
      {
        ...webhook({ clientConfig: { service: { name, ...service, port: 443 } } }),
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], scope: "*" }],
        ...{ failurePolicy: "Fail", matchPolicy: "Equivalent", reinvocationPolicy: "Never", timeoutSeconds: 10 },
        ...{ namespaceSelector: {}, objectSelector: {} },
      },
    ]);
  });

  test("counts the changes of its webhooks, and requires a resourceVersion", async () => {
    const api = testApi();
    const { body } = await sendRequest(api, "POST", { path, body: configuration(webhook()) });
    const update = (metadata: object, ...webhooks: readonly object[]) =>
      sendRequest(api, "PUT", { path: `${path}/c`, body: { ...configuration(...webhooks), metadata } });
    const changed = await update(body.metadata, webhook({ failurePolicy: "Ignore" }));
    expect(changed.body.metadata.generation).toBe(2);
    expect((await update({ ...changed.body.metadata, labels: { a: "b" } }, webhook())).body.metadata.generation).toBe(
      3,
    );
    expect((await update({ name: "c" }, webhook())).body.message).toContain("must be specified for an update");
  });

  test.each<[string, object, readonly string[]]>([
    [
      "a name of two segments",
      { name: "example.com" },
      [
        'webhooks[0].name: Invalid value: "example.com": should be a domain with at least three segments separated by dots',
      ],
    ],
    [
      "no address",
      { clientConfig: {} },
      ["webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
    ],
    [
      "an address of plain HTTP with a user",
      { clientConfig: { url: "http://user@example.com" } },
      [
        `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
        'webhooks[0].clientConfig.url: Invalid value: "": user information is not permitted in the URL',
      ],
    ],
    [
      "a service with an invalid path and port",
      { clientConfig: { service: { namespace: "n", name: "s", path: "a//b", port: 70_000 } } },
      [
        "webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
        `webhooks[0].clientConfig.service.path: Invalid value: "a//b": must start with a '/'`,
        'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[0] may not be empty',
        'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[1] may not be empty',
      ],
    ],
    [
      "side effects, a long timeout and an unknown policy",
      { sideEffects: "Some", timeoutSeconds: 31, failurePolicy: "Retry" },
      [
        'webhooks[0].failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"',
        'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
        "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
      ],
    ],
    [
      "no version of AdmissionReview that this API sends",
      { admissionReviewVersions: ["v1beta1"] },
      [
        'webhooks[0].admissionReviewVersions: Invalid value: ["v1beta1"]: the embedded cluster sends only v1, so it must be included',
      ],
    ],
    [
      "match conditions",
      { matchConditions: [{ name: "a", expression: "true" }] },
      ["webhooks[0].matchConditions: Forbidden: the embedded cluster does not support match conditions (CEL)"],
    ],
    [
      "an unknown operation, and wildcards beside other values",
      {
        rules: [{ operations: ["READ"], apiGroups: ["*", ""], apiVersions: ["v1"], resources: ["*", "pods", "*/*"] }],
      },
      [
        'webhooks[0].rules[0].operations[0]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        `webhooks[0].rules[0].apiGroups: Invalid value: ["*",""]: if '*' is present, must not specify other API groups`,
        `webhooks[0].rules[0].resources: Invalid value: ["*","pods","*/*"]: if '*/*' is present, must not specify other resources`,
        `webhooks[0].rules[0].resources: Invalid value: ["*","pods","*/*"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      "a selector with an invalid operator",
      { objectSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
      ['webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'],
    ],
  ])("is rejected with %s", async (_, fields, errors) => {
    expect(await errorsOf(webhook(fields))).toEqual(errors);
  });

  test("is rejected if two webhooks have the same name", async () => {
    expect(await errorsOf(webhook(), webhook())).toEqual(['webhooks[1].name: Duplicate value: "a.example.com"']);
  });
});
