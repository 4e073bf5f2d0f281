import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";
import { expectRejection, namespacePath, newPod, pod, type Rejection, sendRequest } from "./test-requests.ts";

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
const eviction = { metadata: { name: "p" } };
const large = { name: "p", annotations: { a: "x".repeat(2_000_000) } };
const accountPath = `${namespacePath}/serviceaccounts/spark`;
const finalize = (metadata: object, finalizer = "kubernetes") => ({
  ...{ apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers: [finalizer] } },
});
const localReviewsPath = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";

// Expected responses are those of Kubernetes 1.35.4.
test.each<Rejection>([
  [
    "a review about another namespace",
    ...([
      [],
      "POST",
      { path: localReviewsPath, body: review({ user: "u", resourceAttributes: { namespace: "other" } }) },
      422,
    ] as const),
    'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
  ],
  [
    "a token for an account of another name",
    ...([
      [],
      "POST",
      { path: `${namespacePath}/serviceaccounts/spark/token`, body: tokenRequest({}, { name: "other" }) },
      422,
    ] as const),
    'metadata.name: Invalid value: "other": must match the service account name if specified',
  ],
  [
    "a token for another account's pod",
    ...([
      [newPod],
      "POST",
      {
        path: `${namespacePath}/serviceaccounts/default/token`,
        body: tokenRequest({ boundObjectRef: { kind: "Pod", name: "p" } }),
      },
    ] as const),
    400,
    'cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
  ],
  [
    "a binding of another pod",
    ...([
      [newPod],
      "POST",
      { path: `${namespacePath}/pods/p/binding`, body: binding({ name: "q" }, { name: "n" }) },
      400,
    ] as const),
    "name in URL does not match name in Binding object",
  ],
  [
    "a review of another kind",
    ...([[], "POST", { path: localReviewsPath, body: pod() }, 400] as const),
    'Pod in version "v1" cannot be handled as a LocalSubjectAccessReview: converting (v1.Pod) to (authorization.LocalSubjectAccessReview): unknown conversion',
  ],
  [
    "an eviction from another namespace",
    ...([
      [],
      "POST",
      { path: `${namespacePath}/pods/p/eviction`, body: { metadata: { name: "p", namespace: "other" } } },
      400,
    ] as const),
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "a binding of a pod with scheduling gates",
    ...([
      [{ path: `${namespacePath}/pods`, body: pod({ schedulingGates: [{ name: "g" }] }) }],
      "POST",
      { path: `${namespacePath}/pods/p/binding`, body: binding({ name: "p" }, { name: "n" }) },
      409,
    ] as const),
    "pod p has non-empty .spec.schedulingGates",
  ],
  [
    "a binding that makes the pod too large",
    ...([
      [newPod],
      "POST",
      { path: `${namespacePath}/pods/p/binding`, body: binding(large, { name: "n" }) },
      409,
    ] as const),
    "etcdserver: request is too large",
  ],
  [
    "an eviction with an unknown dry run",
    ...([[newPod], "POST", { path: `${namespacePath}/pods/p/eviction?dryRun=X`, body: eviction }, 422] as const),
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value',
  ],
  [
    "a token with an unknown dry run",
    ...([[], "POST", { path: `${accountPath}/token?dryRun=X`, body: tokenRequest({}) }, 422] as const),
    "dryRun: Unsupported value",
  ],
  [
    "a token for an account with another uid",
    ...([[], "POST", { path: `${accountPath}/token`, body: tokenRequest({}, { uid: "x" }) }, 409] as const),
    "the UID in the token request (x) does not match the UID of the service account",
  ],
  [
    "a token for an object without a name",
    ...([
      [],
      "POST",
      { path: `${accountPath}/token`, body: tokenRequest({ boundObjectRef: { kind: "Secret" } }) },
      400,
    ] as const),
    "Name parameter required.",
  ],
  [
    "finalizing a namespace of another name",
    ...([[], "PUT", { path: `${namespacePath}/finalize`, body: finalize({ name: "other" }) }, 400] as const),
    "the name of the object (other) does not match the name on the URL (default)",
  ],
  [
    "finalizing an old namespace",
    ...([
      [],
      "PUT",
      { path: `${namespacePath}/finalize`, body: finalize({ name: "default", resourceVersion: "1" }) },
      409,
    ] as const),
    "the object has been modified",
  ],
  [
    "an invalid finalizer of a namespace",
    ...([[], "PUT", { path: `${namespacePath}/finalize`, body: finalize({ name: "default" }, "x") }, 422] as const),
    'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ],
  [
    "the log of a pod on a missing node",
    ...([
      [{ path: `${namespacePath}/pods`, body: pod({ nodeName: "n1" }) }],
      "GET",
      { path: `${namespacePath}/pods/p/log` },
      404,
    ] as const),
    'pods "n1" not found',
  ],
])("%s is rejected", expectRejection);

test("a binding adds its labels and annotations to the pod", async () => {
  const api = testApi();
  await sendRequest(api, "POST", newPod);
  const metadata = { name: "p", labels: { a: "b" }, annotations: { c: "d" } };
  const body = binding(metadata, { kind: "Node", name: "n" });
  expect((await sendRequest(api, "POST", { path: `${namespacePath}/pods/p/binding`, body })).status).toBe(201);
  expect(api.scope.store.get("pods", "default", "p")?.metadata).toMatchObject(metadata);
});

test("a dry run of an eviction keeps the pod", async () => {
  const api = testApi();
  await sendRequest(api, "POST", newPod);
  const path = `${namespacePath}/pods/p/eviction`;
  expect((await sendRequest(api, "POST", { path: `${path}?dryRun=All`, body: eviction })).status).toBe(201);
  const inBody = { ...eviction, deleteOptions: { dryRun: ["All"] } };
  expect((await sendRequest(api, "POST", { path, body: inBody })).status).toBe(201);
  expect(api.scope.store.get("pods", "default", "p")).toBeDefined();
  expect((await sendRequest(api, "POST", { path, body: eviction })).status).toBe(201);
  expect(api.scope.store.get("pods", "default", "p")).toBeUndefined();
});

test("an evicted pod has a condition that names the eviction", async () => {
  const api = testApi();
  const kept = { ...pod(), metadata: { name: "p", finalizers: ["a.b/c"] } };
  await sendRequest(api, "POST", { path: `${namespacePath}/pods`, body: kept });
  await sendRequest(api, "POST", { path: `${namespacePath}/pods/p/eviction`, body: eviction });
  expect(api.scope.store.get("pods", "default", "p")?.["status"]).toMatchObject({
    conditions: [
      { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" },
    ],
  });
});

test.each([
  ["pods/p/binding", binding({ name: "p" }, { name: "n" })],
  ["pods/p/eviction", eviction],
  ["serviceaccounts/spark/token", tokenRequest({})],
])("%s is rejected in a terminating namespace", async (part, body) => {
  const api = testApi();
  const metadata = { finalizers: ["a.b/c"] };
  await sendRequest(api, "POST", { path: "/api/v1/namespaces", body: { metadata: { ...metadata, name: "n" } } });
  const path = "/api/v1/namespaces/n";
  const account = { metadata: { ...metadata, name: "spark" } };
  await sendRequest(api, "POST", { path: `${path}/serviceaccounts`, body: account });
  const kept = { ...pod(), metadata: { ...metadata, name: "p" } };
  expect((await sendRequest(api, "POST", { path: `${path}/pods`, body: kept })).status).toBe(201);
  await sendRequest(api, "DELETE", { path });
  const response = await sendRequest(api, "POST", { path: `${path}/${part}`, body });
  expect([response.status, response.body.message]).toEqual([403, expect.stringContaining("it is being terminated")]);
});
