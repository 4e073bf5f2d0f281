import { expect, test } from "vitest";
import { testApi } from "../test-api.ts";
import {
  expectRejection,
  mergePatch,
  namespacePath,
  newPod,
  pod,
  type Rejection,
  sendRequest,
} from "./test-requests.ts";

const classesPath = "/apis/storage.k8s.io/v1/storageclasses";
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

// Expected responses are those of Kubernetes 1.35.4.
test.each<Rejection>([
  [
    "a pod with an explicit priority",
    ...([[], "POST", { path: `${namespacePath}/pods`, body: pod({ priority: 9 }) }, 403] as const),
    "the integer value of priority (9) must not be provided in pod spec; priority admission controller computed 0",
  ],
  [
    "a source range of a service that is not a load balancer",
    ...([
      [],
      "POST",
      { path: `${namespacePath}/services`, body: service({ loadBalancerSourceRanges: ["1.2.3.0/24"] }) },
      422,
    ] as const),
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
  [
    "the load balancer address of another type of service",
    ...([
      [{ path: `${namespacePath}/services`, body: service({}) }],
      "PATCH",
      {
        path: `${namespacePath}/services/s/status`,
        body: { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
        type: mergePatch,
      },
      422,
    ] as const),
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ],
  [
    "an invalid pod address",
    ...([
      [newPod],
      "PATCH",
      { path: `${namespacePath}/pods/p/status`, body: { status: { podIPs: [{ ip: "nope" }] } }, type: mergePatch },
      422,
    ] as const),
    'status.podIPs[0]: Invalid value: "nope": must be a valid IP address',
  ],
  [
    "a wrong phase of a namespace",
    ...([
      [],
      "PATCH",
      { path: `${namespacePath}/status`, body: { status: { phase: "Nope" } }, type: mergePatch },
      422,
    ] as const),
    "may only be 'Active' if `deletionTimestamp` is empty",
  ],
  [
    "an event with a time and no reporter",
    ...([
      [],
      "POST",
      {
        path: `${namespacePath}/events`,
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
      [{ path: classesPath, body: storageClass }],
      "PATCH",
      { path: `${classesPath}/c`, body: { provisioner: "c/d" }, type: mergePatch },
      422,
    ] as const),
    "provisioner: Forbidden: updates to provisioner are forbidden.",
  ],
])("%s is rejected", expectRejection);

test("a pod keeps the default tolerations when a client replaces its own", async () => {
  const api = testApi();
  await sendRequest(api, "POST", newPod);
  const body = { spec: { tolerations: [{ key: "k", operator: "Exists" }] } };
  const { status, body: changed } = await sendRequest(api, "PATCH", {
    path: `${namespacePath}/pods/p`,
    body,
    type: mergePatch,
  });
  expect(status).toBe(200);
  expect(changed.spec.tolerations).toHaveLength(3);
});

test("a service that is no longer a load balancer loses the fields of one", async () => {
  const api = testApi();
  await sendRequest(api, "POST", { path: `${namespacePath}/services`, body: service({ type: "LoadBalancer" }) });
  const body = { spec: { type: "ClusterIP" } };
  const { body: changed } = await sendRequest(api, "PATCH", {
    path: `${namespacePath}/services/s`,
    body,
    type: mergePatch,
  });
  expect(changed.spec).not.toHaveProperty("allocateLoadBalancerNodePorts");
  expect(changed.status).toEqual({ loadBalancer: {} });
});
