import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";
import {
  configMap,
  configMapsPath,
  expectRejection,
  mergePatch,
  namespacePath,
  newConfigMap,
  pod,
  type Rejection,
  sendRequest,
} from "./test-requests.ts";

const jsonPatch = "application/json-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";
const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} };
const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

// Expected responses are those of Kubernetes 1.35.4.
test.each<Rejection>([
  [
    "a merge patch of null",
    [newConfigMap],
    "PATCH",
    { path: `${configMapsPath}/c`, body: null, type: mergePatch },
    400,
    "Invalid JSON Patch",
  ],
  [
    "a merge patch that is a list",
    ...([[newConfigMap], "PATCH", { path: `${configMapsPath}/c`, body: [], type: mergePatch }, 400] as const),
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  ],
  [
    "a patch to another version",
    ...([
      [newConfigMap],
      "PATCH",
      { path: `${configMapsPath}/c`, body: { apiVersion: "v2" }, type: mergePatch },
      422,
    ] as const),
    'no kind "ConfigMap" is registered for version "v2"',
  ],
  [
    "a patch that removes the name",
    ...([
      [newConfigMap],
      "PATCH",
      { path: `${configMapsPath}/c`, body: { metadata: { name: null } }, type: mergePatch },
      400,
    ] as const),
    "the name of the object (c based on URL) was undeterminable: name must be provided",
  ],
  [
    "a configuration without a name",
    ...([
      [],
      "PATCH",
      { path: `${configMapsPath}/c?fieldManager=m`, body: { apiVersion: "v1", kind: "ConfigMap" }, type: applyPatch },
    ] as const),
    400,
    "the name of the object (c based on URL) was undeterminable: name must be provided",
  ],
  [
    "a configuration with the uid of a missing object",
    ...([
      [],
      "PATCH",
      { path: `${configMapsPath}/c?fieldManager=m`, body: configMap({ uid: "u" }), type: applyPatch },
      409,
    ] as const),
    "uid mismatch: the provided object specified uid u, and no existing object was found",
  ],
  [
    "a lease with the uid of a missing object",
    ...([[], "PUT", { path: `${leasesPath}/l`, body: { ...lease, metadata: { name: "l", uid: "u" } } }, 409] as const),
    "Precondition failed: UID in precondition: u, UID in object meta: ",
  ],
  [
    "a lease without the revision that it replaces",
    ...([[{ path: leasesPath, body: lease }], "PUT", { path: `${leasesPath}/l`, body: lease }, 422] as const),
    'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    "an owner with a version of three parts",
    ...([
      [],
      "POST",
      {
        path: configMapsPath,
        body: configMap({ ownerReferences: [{ apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" }] }),
      },
    ] as const),
    422,
    'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
  ],
  [
    "an empty dryRun",
    [],
    "POST",
    { path: `${configMapsPath}?dryRun=`, body: configMap() },
    422,
    'dryRun: Unsupported value: [""]',
  ],
  [
    "an invalid timeout of a write",
    [],
    "POST",
    { path: `${configMapsPath}?timeout=abc`, body: configMap() },
    400,
    'invalid duration "abc"',
  ],
  [
    "an empty policy",
    [newConfigMap],
    "DELETE",
    { path: `${configMapsPath}/c?propagationPolicy=` },
    422,
    'propagationPolicy: Unsupported value: ""',
  ],
  [
    "a grace period that is not a number",
    ...([[newConfigMap], "DELETE", { path: `${configMapsPath}/c`, body: { gracePeriodSeconds: "5" } }, 400] as const),
    "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
  ],
  [
    "a deletion of a namespace with another uid",
    ...([
      [
        {
          path: "/api/v1/namespaces",
          body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
        },
      ],
      "DELETE",
      { path: "/api/v1/namespaces/n", body: { preconditions: { uid: "u" } } },
      409,
    ] as const),
    'Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: u',
  ],
])("%s is rejected", expectRejection);

test("a JSON patch changes only one of two equal fields", async () => {
  const api = testApi();
  await sendRequest(api, "POST", {
    path: configMapsPath,
    body: configMap({ annotations: { n: "1" } }, { data: { n: "1" } }),
  });
  const body = [{ op: "add", path: "/metadata/annotations/more", value: "x" }];
  const { body: changed } = await sendRequest(api, "PATCH", { path: `${configMapsPath}/c`, body, type: jsonPatch });
  expect(changed.data).toEqual({ n: "1" });
  expect(changed.metadata.annotations).toEqual({ more: "x", n: "1" });
});

test("the result of a patch may lack kind and version", async () => {
  const api = testApi();
  await sendRequest(api, "POST", newConfigMap);
  const body = { $patch: "replace", metadata: { name: "c" } };
  const { body: changed } = await sendRequest(api, "PATCH", {
    path: `${configMapsPath}/c`,
    body,
    type: strategicPatch,
  });
  expect(changed).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  expect(changed.data).toBeUndefined();
});

test.each([
  ["duplicate fields of a merge patch", '{"data":{"k":"1","k":"2"}}', mergePatch, 'duplicate field \\"data.k\\"'],
  [
    "unknown fields of a JSON patch",
    '[{"op":"test","path":"/kind","value":"ConfigMap","x":1}]',
    jsonPatch,
    'json patch unknown field \\"[0].x\\"',
  ],
])("%s are warned of, or rejected if validation is strict", async (_, text, type, warning) => {
  const api = testApi();
  await sendRequest(api, "POST", newConfigMap);
  const lenient = await api.call("PATCH", `${configMapsPath}/c`, { body: text, headers: { "content-type": type } });
  expect(lenient.headers["warning"]).toContain(warning);
  const strict = await api.call("PATCH", `${configMapsPath}/c?fieldValidation=Strict`, {
    body: text,
    headers: { "content-type": type },
  });
  expect(strict.status).toBe(422);
});

test("warnings list unknown fields in the order of the body", async () => {
  const api = testApi();
  const body = { ...pod({ containers: [{ name: "a", image: "x", bar: 1 }], foo: 1 }), baz: 1 };
  const { headers } = await sendRequest(api, "POST", { path: `${namespacePath}/pods`, body });
  expect(headers["warning"]?.match(/[a-z[\].0-9]+(?=\\")/g)).toEqual(["spec.containers[0].bar", "spec.foo", "baz"]);
});

test("duplicate owners are removed with a warning", async () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
  const request = { path: configMapsPath, body: configMap({ ownerReferences: [owner, owner] }) };
  const { body, headers } = await sendRequest(testApi(), "POST", request);
  expect(body.metadata.ownerReferences).toEqual([owner]);
  expect(headers["warning"]).toContain("duplicate UID(s) observed: u");
});

test("fields without an owner belong to before-first-apply at the first apply", async () => {
  const api = testApi();
  await sendRequest(api, "POST", newConfigMap);
  await sendRequest(api, "PATCH", {
    path: `${configMapsPath}/c`,
    body: { metadata: { managedFields: [{}] } },
    type: mergePatch,
  });
  const request = {
    path: `${configMapsPath}/c?fieldManager=m`,
    body: configMap({}, { data: { k: "w" } }),
    type: applyPatch,
  };
  const { status, body } = await sendRequest(api, "PATCH", request);
  expect(status).toBe(409);
  expect(body.message).toBe('Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k');
});
