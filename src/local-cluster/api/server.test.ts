import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { adminToken, type TestApi, testApi } from "../test-api.ts";

const space = "/api/v1/namespaces/default";
const maps = `${space}/configmaps`;
const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const applied = "application/apply-patch+yaml";

const configMap = (metadata: object = {}, more: object = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", ...metadata } },
  ...more,
});
const pod = (spec: object = {}) => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
  spec: { containers: [{ name: "a", image: "x:1" }], serviceAccountName: "spark", ...spec },
});
const review = (spec: object) => ({
  apiVersion: "authorization.k8s.io/v1",
  kind: "LocalSubjectAccessReview",
  spec,
});
const tokenRequest = (spec: object, metadata: object = {}) => ({
  ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata, spec },
});
const binding = (metadata: object, target: object) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata,
  target,
});

type Method = Parameters<TestApi["call"]>[0];

interface Request {
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly type?: string;
}

async function send(api: TestApi, method: Method, { path, body, type, accept }: Request) {
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(accept === undefined ? {} : { accept }),
  };
  const response = await api.call(method, path, { ...(body === undefined ? {} : { body }), headers });
  const text = await response.text();
  const isJson = text.startsWith("{");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : { message: text },
  };
}

const classes = "/apis/storage.k8s.io/v1/storageclasses";
const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "c" },
  provisioner: "a/b",
};
const service = (spec: object) => ({
  ...{ apiVersion: "v1", kind: "Service", metadata: { name: "s" } },
  spec: { ports: [{ port: 80 }], ...spec },
});
const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} };
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const local = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
const own = { path: maps, body: configMap({}, { data: { k: "v" } }) };
const scheduled = { path: `${space}/pods`, body: pod() };

// Expected responses are those of Kubernetes 1.35.4.
test.each<[string, readonly Request[], Method, Request, number, string]>([
  ["a merge patch of null", [own], "PATCH", { path: `${maps}/c`, body: null, type: merge }, 400, "Invalid JSON Patch"],
  [
    "a merge patch that is a list",
    ...([[own], "PATCH", { path: `${maps}/c`, body: [], type: merge }, 400] as const),
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  ],
  [
    "a patch to another version",
    ...([[own], "PATCH", { path: `${maps}/c`, body: { apiVersion: "v2" }, type: merge }, 422] as const),
    'no kind "ConfigMap" is registered for version "v2"',
  ],
  [
    "a patch that removes the name",
    ...([[own], "PATCH", { path: `${maps}/c`, body: { metadata: { name: null } }, type: merge }, 400] as const),
    "the name of the object (c based on URL) was undeterminable: name must be provided",
  ],
  [
    "a configuration without a name",
    ...([
      [],
      "PATCH",
      { path: `${maps}/c?fieldManager=m`, body: { apiVersion: "v1", kind: "ConfigMap" }, type: applied },
    ] as const),
    400,
    "the name of the object (c based on URL) was undeterminable: name must be provided",
  ],
  [
    "a configuration with the uid of a missing object",
    ...([
      [],
      "PATCH",
      { path: `${maps}/c?fieldManager=m`, body: configMap({ uid: "u" }), type: applied },
      409,
    ] as const),
    "uid mismatch: the provided object specified uid u, and no existing object was found",
  ],
  [
    "a lease with the uid of a missing object",
    ...([[], "PUT", { path: `${leases}/l`, body: { ...lease, metadata: { name: "l", uid: "u" } } }, 409] as const),
    "Precondition failed: UID in precondition: u, UID in object meta: ",
  ],
  [
    "a lease without the revision that it replaces",
    ...([[{ path: leases, body: lease }], "PUT", { path: `${leases}/l`, body: lease }, 422] as const),
    'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  ],
  [
    "an owner with a version of three parts",
    ...([
      [],
      "POST",
      {
        path: maps,
        body: configMap({ ownerReferences: [{ apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" }] }),
      },
    ] as const),
    422,
    'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
  ],
  [
    "a pod with an explicit priority",
    ...([[], "POST", { path: `${space}/pods`, body: pod({ priority: 9 }) }, 403] as const),
    "the integer value of priority (9) must not be provided in pod spec; priority admission controller computed 0",
  ],
  ["an export", [own], "GET", { path: `${maps}/c?export=true` }, 400, "the export parameter, deprecated since v1.14"],
  ["a HEAD", [own], "HEAD", { path: `${maps}/c` }, 405, "does not allow this method"],
  ["an unknown health check", [], "GET", { path: "/healthz/nothing" }, 404, "404 page not found"],
  [
    "an empty dryRun",
    [],
    "POST",
    { path: `${maps}?dryRun=`, body: configMap() },
    422,
    'dryRun: Unsupported value: [""]',
  ],
  [
    "an invalid timeout of a write",
    [],
    "POST",
    { path: `${maps}?timeout=abc`, body: configMap() },
    400,
    'invalid duration "abc"',
  ],
  [
    "an empty policy",
    [own],
    "DELETE",
    { path: `${maps}/c?propagationPolicy=` },
    422,
    'propagationPolicy: Unsupported value: ""',
  ],
  [
    "a grace period that is not a number",
    ...([[own], "DELETE", { path: `${maps}/c`, body: { gracePeriodSeconds: "5" } }, 400] as const),
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
  [
    "a review about another namespace",
    ...([
      [],
      "POST",
      { path: local, body: review({ user: "u", resourceAttributes: { namespace: "other" } }) },
      422,
    ] as const),
    'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
  ],
  [
    "a token for an account of another name",
    ...([
      [],
      "POST",
      { path: `${space}/serviceaccounts/spark/token`, body: tokenRequest({}, { name: "other" }) },
      422,
    ] as const),
    'metadata.name: Invalid value: "other": must match the service account name if specified',
  ],
  [
    "a token for another account's pod",
    ...([
      [scheduled],
      "POST",
      {
        path: `${space}/serviceaccounts/default/token`,
        body: tokenRequest({ boundObjectRef: { kind: "Pod", name: "p" } }),
      },
    ] as const),
    400,
    'cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
  ],
  [
    "a binding of another pod",
    ...([
      [scheduled],
      "POST",
      { path: `${space}/pods/p/binding`, body: binding({ name: "q" }, { name: "n" }) },
      400,
    ] as const),
    "name in URL does not match name in Binding object",
  ],
  [
    "a watch from the beginning at an exact revision",
    ...([[], "GET", { path: `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact` }, 422] as const),
    '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact"',
  ],
  [
    "a list as one object",
    ...([
      [],
      "GET",
      { path: maps, accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
      406,
    ] as const),
    "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
  ],
  [
    "a watch in YAML",
    ...([[], "GET", { path: `${maps}?watch=1`, accept: "application/yaml" }, 406] as const),
    "only the following media types are accepted: application/json;stream=watch",
  ],
  [
    "a review of another kind",
    ...([[], "POST", { path: local, body: pod() }, 400] as const),
    'Pod in version "v1" cannot be handled as a LocalSubjectAccessReview: converting (v1.Pod) to (authorization.LocalSubjectAccessReview): unknown conversion',
  ],
  [
    "an eviction from another namespace",
    ...([
      [],
      "POST",
      { path: `${space}/pods/p/eviction`, body: { metadata: { name: "p", namespace: "other" } } },
      400,
    ] as const),
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "the log of a pod on a missing node",
    ...([
      [{ path: `${space}/pods`, body: pod({ nodeName: "n1" }) }],
      "GET",
      { path: `${space}/pods/p/log` },
      404,
    ] as const),
    'pods "n1" not found',
  ],
  [
    "a source range of a service that is not a load balancer",
    ...([
      [],
      "POST",
      { path: `${space}/services`, body: service({ loadBalancerSourceRanges: ["1.2.3.0/24"] }) },
      422,
    ] as const),
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    "the load balancer address of another type of service",
    ...([
      [{ path: `${space}/services`, body: service({}) }],
      "PATCH",
      {
        path: `${space}/services/s/status`,
        body: { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
        type: merge,
      },
      422,
    ] as const),
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ],
  [
    "an invalid pod address",
    ...([
      [scheduled],
      "PATCH",
      { path: `${space}/pods/p/status`, body: { status: { podIPs: [{ ip: "nope" }] } }, type: merge },
      422,
    ] as const),
    'status.podIPs[0]: Invalid value: "nope": must be a valid IP address',
  ],
  [
    "a wrong phase of a namespace",
    ...([[], "PATCH", { path: `${space}/status`, body: { status: { phase: "Nope" } }, type: merge }, 422] as const),
    "may only be 'Active' if `deletionTimestamp` is empty",
  ],
  [
    "an event with a time and no reporter",
    ...([
      [],
      "POST",
      {
        path: `${space}/events`,
        body: {
          ...{
            apiVersion: "v1",
            kind: "Event",
            metadata: { name: "e" },
            eventTime: "2024-01-01T00:00:00.000001Z",
          },
          involvedObject: { namespace: "default" },
        },
      },
      422,
    ] as const),
    "reportingComponent: Required value",
  ],
  [
    "an aggregated role without selectors",
    ...([
      [],
      "POST",
      {
        path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        body: {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRole",
          metadata: { name: "r" },
          rules: [],
          aggregationRule: {},
        },
      },
      422,
    ] as const),
    "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
  ],
  [
    "a change of a class's provisioner",
    ...([
      [{ path: classes, body: storageClass }],
      "PATCH",
      { path: `${classes}/c`, body: { provisioner: "c/d" }, type: merge },
      422,
    ] as const),
    "provisioner: Forbidden: updates to provisioner are forbidden.",
  ],
])("%s is rejected", async (_, setup, method, request, status, message) => {
  const api = testApi();
  for (const { path, body } of setup) expect((await send(api, "POST", { path, body })).status).toBe(201);
  const response = await send(api, method, request);
  expect({ status: response.status, message: response.body.message }).toEqual({
    ...{ status, message: expect.stringContaining(message) },
  });
});

test("a JSON patch changes only one of two equal fields", async () => {
  const api = testApi();
  await send(api, "POST", { path: maps, body: configMap({ annotations: { n: "1" } }, { data: { n: "1" } }) });
  const body = [{ op: "add", path: "/metadata/annotations/more", value: "x" }];
  const { body: changed } = await send(api, "PATCH", { path: `${maps}/c`, body, type: json });
  expect(changed.data).toEqual({ n: "1" });
  expect(changed.metadata.annotations).toEqual({ more: "x", n: "1" });
});

test("the result of a patch may lack kind and version", async () => {
  const api = testApi();
  await send(api, "POST", own);
  const body = { $patch: "replace", metadata: { name: "c" } };
  const { body: changed } = await send(api, "PATCH", { path: `${maps}/c`, body, type: strategic });
  expect(changed).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  expect(changed.data).toBeUndefined();
});

test.each([
  ["duplicate fields of a merge patch", '{"data":{"k":"1","k":"2"}}', merge, 'duplicate field \\"data.k\\"'],
  [
    "unknown fields of a JSON patch",
    '[{"op":"test","path":"/kind","value":"ConfigMap","x":1}]',
    json,
    'json patch unknown field \\"[0].x\\"',
  ],
])("%s are warned of, or rejected if validation is strict", async (_, text, type, warning) => {
  const api = testApi();
  await send(api, "POST", own);
  const lenient = await api.call("PATCH", `${maps}/c`, { body: text, headers: { "content-type": type } });
  expect(lenient.headers["warning"]).toContain(warning);
  const strict = await api.call("PATCH", `${maps}/c?fieldValidation=Strict`, {
    body: text,
    headers: { "content-type": type },
  });
  expect(strict.status).toBe(422);
});

test("warnings list unknown fields in the order of the body", async () => {
  const api = testApi();
  const body = { ...pod({ containers: [{ name: "a", image: "x", bar: 1 }], foo: 1 }), baz: 1 };
  const { headers } = await send(api, "POST", { path: `${space}/pods`, body });
  expect(headers["warning"]?.match(/[a-z[\].0-9]+(?=\\")/g)).toEqual(["spec.containers[0].bar", "spec.foo", "baz"]);
});

test("duplicate owners are removed with a warning", async () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
  const request = { path: maps, body: configMap({ ownerReferences: [owner, owner] }) };
  const { body, headers } = await send(testApi(), "POST", request);
  expect(body.metadata.ownerReferences).toEqual([owner]);
  expect(headers["warning"]).toContain("duplicate UID(s) observed: u");
});

test("fields without an owner belong to before-first-apply at the first apply", async () => {
  const api = testApi();
  await send(api, "POST", own);
  await send(api, "PATCH", { path: `${maps}/c`, body: { metadata: { managedFields: [{}] } }, type: merge });
  const request = {
    path: `${maps}/c?fieldManager=m`,
    body: configMap({}, { data: { k: "w" } }),
    type: applied,
  };
  const { status, body } = await send(api, "PATCH", request);
  expect(status).toBe(409);
  expect(body.message).toBe('Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k');
});

test("a binding adds its labels and annotations to the pod", async () => {
  const api = testApi();
  await send(api, "POST", scheduled);
  const metadata = { name: "p", labels: { a: "b" }, annotations: { c: "d" } };
  const body = binding(metadata, { kind: "Node", name: "n" });
  expect((await send(api, "POST", { path: `${space}/pods/p/binding`, body })).status).toBe(201);
  expect(api.scope.store.get("pods", "default", "p")?.metadata).toMatchObject(metadata);
});

test("a page of a revision has exactly that revision", async () => {
  const api = testApi();
  const { body: made } = await send(api, "POST", own);
  await send(api, "PATCH", { path: `${maps}/c`, body: { data: { k: "w" } }, type: merge });
  const query = `resourceVersion=${made.metadata.resourceVersion}`;
  const { body: page } = await send(api, "GET", { path: `${maps}?${query}&limit=1` });
  expect(page.items[0].data).toEqual({ k: "v" });
  const { body: list } = await send(api, "GET", { path: `${maps}?${query}` });
  expect(list.items[0].data).toEqual({ k: "w" });
});

test("a large response is compressed for clients that accept gzip", async () => {
  const api = testApi();
  await send(api, "POST", { path: maps, body: configMap({}, { data: { k: "x".repeat(200_000) } }) });
  const accept = (encoding: string) => api.call("GET", `${maps}/c`, { headers: { "accept-encoding": encoding } });
  const response = await accept("gzip, deflate");
  expect(response.headers["content-encoding"]).toBe("gzip");
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  expect(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString("utf8")).metadata.name).toBe("c");
  expect((await accept("gzip;q=0")).headers["content-encoding"]).toBeUndefined();
  expect((await accept("br")).headers["content-encoding"]).toBeUndefined();
});

test("of YAML, the last duplicate key counts, with a warning, and only the first document is read", async () => {
  const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: '1'\n  a: '2'\n---\nkind: Secret\n";
  const { body: made, headers } = await send(testApi(), "POST", {
    path: maps,
    body,
    type: "application/yaml",
  });
  expect(made.data).toEqual({ a: "2" });
  expect(headers["warning"]).toBe('299 - "line 6: key \\"a\\" already set in map"');
});

test("YAML with a duplicate key and another error behind it is rejected", async () => {
  const body = "kind: ConfigMap\nmetadata: {name: c, name: c}\ndata: *missing\n";
  const { status, body: failure } = await send(testApi(), "POST", { path: maps, body, type: "application/yaml" });
  expect(status).toBe(400);
  expect(failure.message).toContain('unidentified alias "missing"');
});

test("a pod keeps the default tolerations when a client replaces its own", async () => {
  const api = testApi();
  await send(api, "POST", scheduled);
  const body = { spec: { tolerations: [{ key: "k", operator: "Exists" }] } };
  const { status, body: changed } = await send(api, "PATCH", { path: `${space}/pods/p`, body, type: merge });
  expect(status).toBe(200);
  expect(changed.spec.tolerations).toHaveLength(3);
});

test("a service that is no longer a load balancer loses the fields of one", async () => {
  const api = testApi();
  await send(api, "POST", { path: `${space}/services`, body: service({ type: "LoadBalancer" }) });
  const body = { spec: { type: "ClusterIP" } };
  const { body: changed } = await send(api, "PATCH", { path: `${space}/services/s`, body, type: merge });
  expect(changed.spec).not.toHaveProperty("allocateLoadBalancerNodePorts");
  expect(changed.status).toEqual({ loadBalancer: {} });
});

test("events can be selected by the field names of either version", async () => {
  const api = testApi();
  const involvedObject = { name: "p", namespace: "default" };
  await send(api, "POST", {
    path: `${space}/events`,
    body: { apiVersion: "v1", kind: "Event", metadata: { name: "e" }, involvedObject },
  });
  const path = "/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=regarding.name=p";
  expect((await send(api, "GET", { path })).body.items).toHaveLength(1);
});

test("the body of a request is read only if its caller is admitted", async () => {
  const { api } = testApi();
  const readers: string[] = [];
  const post = async (caller: string, authorization: string) => {
    const readBody = async () => {
      readers.push(caller);
      return Buffer.from(JSON.stringify(configMap()));
    };
    const headers = { "content-type": "application/json", authorization };
    return (await api({ method: "POST", path: maps, headers, readBody })).status;
  };
  expect(await post("nobody", "Bearer unknown")).toBe(401);
  expect(await post("anonymous", "")).toBe(403);
  expect(await post("administrator", `Bearer ${adminToken}`)).toBe(201);
  expect(readers).toEqual(["administrator"]);
});
