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
