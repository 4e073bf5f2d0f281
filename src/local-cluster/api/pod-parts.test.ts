import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../test-api.ts";
import { mergePatch, namespacePath, newPod, pod, sendRequest } from "./test-requests.ts";

const path = `${namespacePath}/pods/p`;
const strategicPatch = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

async function apiWithPod(spec: object = {}): Promise<TestApi> {
  const api = testApi();
  expect((await sendRequest(api, "POST", { ...newPod, body: pod(spec) })).status).toBe(201);
  return api;
}

const patch = (api: TestApi, part: string, body: object, type = strategicPatch) =>
  sendRequest(api, "PATCH", { path: `${path}/${part}`, body, type });
const debug = (api: TestApi, ...ephemeralContainers: object[]) =>
  patch(api, "ephemeralcontainers", { spec: { ephemeralContainers } });

// Expected responses are those of Kubernetes 1.35.4.
describe("an ephemeral container", () => {
  const image = "x:1";

  test("is added with its defaults, and counts as a change of the specification", async () => {
    const api = await apiWithPod();
    const { status, body } = await debug(api, { name: "d", image, targetContainerName: "a" });
    expect(status).toBe(200);
    expect(body.metadata.generation).toBe(2);
    expect(body.spec.ephemeralContainers).toEqual([
      {
        ...{ name: "d", image, resources: {}, targetContainerName: "a" },
        ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
        imagePullPolicy: "IfNotPresent",
      },
    ]);
    expect(body.metadata.managedFields.at(-1)).toMatchObject({ subresource: "ephemeralcontainers" });
  });

  test.each<[string, object, string]>([
    ["without a name", { image }, "[0].name: Required value"],
    ["without an image", { name: "d" }, "[0].image: Required value"],
    ["with an invalid name", { name: "D_", image }, '[0].name: Invalid value: "D_"'],
    ["with another container's name", { name: "a", image }, '[0].name: Duplicate value: "a"'],
    [
      "for an unknown container",
      { name: "d", image, targetContainerName: "z" },
      '[0].targetContainerName: Not found: "z"',
    ],
    [
      "with resources",
      { name: "d", image, resources: { limits: { cpu: "1" } } },
      "[0].resources: Forbidden: cannot be set",
    ],
    [
      "with ports",
      { name: "d", image, ports: [{ containerPort: 1 }] },
      "[0].ports: Forbidden: cannot be set for an Ephemeral",
    ],
    [
      "with a restart policy",
      { name: "d", image, restartPolicy: "Always" },
      "[0].restartPolicy: Forbidden: cannot be set",
    ],
    [
      "with a missing volume",
      { name: "d", image, volumeMounts: [{ name: "v", mountPath: "/x" }] },
      '[0].volumeMounts[0].name: Not found: "v"',
    ],
    ["with a variable without a name", { name: "d", image, env: [{ name: "" }] }, "[0].env[0].name: Required value"],
    ["with a directory of a volume", subPathMount(), "[0].volumeMounts[0].subPath: Forbidden: cannot be set"],
  ])("%s is rejected", async (_, container, message) => {
    const api = await apiWithPod({ volumes: [{ name: "w", emptyDir: {} }] });
    const { status, body } = await debug(api, container);
    expect([status, body.message]).toEqual([422, expect.stringContaining(`spec.ephemeralContainers${message}`)]);
  });

  function subPathMount() {
    return { name: "d", image, volumeMounts: [{ name: "w", mountPath: "/x", subPath: "y" }] };
  }

  test("is neither changed nor removed", async () => {
    const api = await apiWithPod();
    await debug(api, { name: "d", image });
    expect((await debug(api, { name: "d", image: "y" })).body.message).toContain(
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed\n@@',
    );
    expect((await debug(api, { name: "d", $patch: "delete" })).body.message).toContain('"d" may not be removed');
    expect((await debug(api, { name: "e", image })).body.spec.ephemeralContainers).toHaveLength(2);
  });

  test("leaves other fields unchanged", async () => {
    const api = await apiWithPod();
    const body = {
      metadata: { labels: { a: "b" } },
      spec: { nodeName: "n", ephemeralContainers: [{ name: "d", image }] },
    };
    const changed = await patch(api, "ephemeralcontainers", body);
    expect([changed.status, changed.body.metadata.labels, changed.body.spec.nodeName]).toEqual([
      200,
      undefined,
      undefined,
    ]);
  });

  test("can be applied", async () => {
    const api = await apiWithPod();
    const config = { ...pod(), spec: { ephemeralContainers: [{ name: "d", image }] } };
    const applied = await patch(api, "ephemeralcontainers?fieldManager=m", config, applyPatch);
    expect([applied.status, applied.body.spec.ephemeralContainers.length]).toEqual([200, 1]);
  });
});

describe("a resize", () => {
  const requests = { cpu: "1" };
  const resizable = () => apiWithPod({ containers: [{ name: "a", image: "x:1", resources: { requests } }] });
  const resize = (api: TestApi, ...containers: object[]) => patch(api, "resize", { spec: { containers } });

  test("changes cpu and memory only", async () => {
    const api = await resizable();
    const { status, body } = await resize(api, { name: "a", image: "y", resources: { requests: { cpu: "2" } } });
    expect(status).toBe(200);
    expect(body.spec.containers).toMatchObject([{ image: "x:1", resources: { requests: { cpu: "2" } } }]);
    expect(body.metadata.generation).toBe(2);
  });

  test.each<[string, object, string]>([
    ["a negative amount", { requests: { cpu: "-2" } }, 'requests[cpu]: Invalid value: "-2": must be greater'],
    [
      "a limit below the request",
      { limits: { cpu: "100m" } },
      'requests: Invalid value: "1": must be less than or equal to',
    ],
    [
      "a removed request",
      { requests: { cpu: null, memory: "1" } },
      "requests: Forbidden: resource requests cannot be removed",
    ],
  ])("to %s is rejected", async (_, resources, message) => {
    const { status, body } = await resize(await resizable(), { name: "a", resources });
    expect([status, body.message]).toEqual([422, expect.stringContaining(`spec.containers[0].resources.${message}`)]);
  });

  test.each<[string, object, string]>([
    [
      "of other resources",
      { name: "a", resources: { requests: { "ephemeral-storage": "1" } } },
      "spec: Forbidden: only cpu and",
    ],
    [
      "of restart policies",
      { name: "a", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    ["with a further container", { name: "b", image: "y" }, "containers may not be added or removed on resize"],
    ["to another quality of service", { name: "a", resources: guaranteed() }, "Pod QOS Class may not change"],
  ])("%s is rejected", async (_, container, message) => {
    const { status, body } = await resize(await resizable(), container);
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
  });

  function guaranteed() {
    return { limits: { cpu: "1", memory: "1" }, requests: { cpu: "1", memory: "1" } };
  }

  test("counts against limits and quotas", async () => {
    const api = await resizable();
    const limits = [{ type: "Container", max: { cpu: "3" } }];
    const range = { metadata: { name: "l" }, spec: { limits } };
    expect((await sendRequest(api, "POST", { path: `${namespacePath}/limitranges`, body: range })).status).toBe(201);
    const large = await resize(api, { name: "a", resources: { requests: { cpu: "4" }, limits: { cpu: "4" } } });
    expect([large.status, large.body.message]).toEqual([
      403,
      expect.stringContaining("maximum cpu usage per Container is 3"),
    ]);
  });
});

test.each(["ephemeralcontainers", "resize"])("%s requires the stored revision, uid and name", async (part) => {
  const api = await apiWithPod();
  expect((await patch(api, part, { metadata: { resourceVersion: "1" } })).status).toBe(409);
  expect((await patch(api, part, { metadata: { uid: "1" } })).body.message).toContain("metadata.uid: Invalid value");
  const other = { ...pod(), metadata: { name: "q" } };
  expect((await sendRequest(api, "PUT", { path: `${path}/${part}`, body: other })).status).toBe(400);
});

test.each<[string, object, string]>([
  ["pods/p", { nominatedNodeName: "A B" }, 'status.nominatedNodeName: Invalid value: "A B"'],
  [
    "pods/p",
    { observedGeneration: -1 },
    "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
  ],
  ["pods/p", { qosClass: "Guaranteed" }, 'status.qosClass: Invalid value: "Guaranteed": field is immutable'],
  ["resourcequotas/q", { used: { pods: "-1" } }, "status.used[pods]: Invalid value"],
  ["resourcequotas/q", { hard: { "bad name": "1" } }, 'status.hard[bad name]: Invalid value: "bad name"'],
  ["persistentvolumeclaims/c", { capacity: { storage: "-1" } }, "status.capacity[storage]: Invalid value"],
])("the status of %s with %o is rejected", async (object, status, message) => {
  const api = await apiWithPod();
  const quota = { metadata: { name: "q" }, spec: { hard: { pods: "1" } } };
  await sendRequest(api, "POST", { path: `${namespacePath}/resourcequotas`, body: quota });
  const resources = { requests: { storage: "1Gi" } };
  const claim = { metadata: { name: "c" }, spec: { accessModes: ["ReadWriteOnce"], resources } };
  await sendRequest(api, "POST", { path: `${namespacePath}/persistentvolumeclaims`, body: claim });
  const request = { path: `${namespacePath}/${object}/status`, body: { status }, type: mergePatch };
  const response = await sendRequest(api, "PATCH", request);
  expect([response.status, response.body.message]).toEqual([422, expect.stringContaining(message)]);
});

test.each<[string, object, string]>([
  ["deployments", { replicas: -1 }, "status.replicas: Invalid value: -1: must be greater than or equal to 0"],
  [
    "deployments",
    { readyReplicas: 5 },
    "status.readyReplicas: Invalid value: 5: cannot be greater than status.replicas",
  ],
  [
    "replicasets",
    { replicas: 1, availableReplicas: 1 },
    "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
  ],
  ["statefulsets", { collisionCount: -1 }, "status.collisionCount: Invalid value: -1"],
])("the status of %s with %o is rejected", async (plural, status, message) => {
  const api = testApi();
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "x:1" }] } };
  const spec = { replicas: 0, serviceName: "s", selector: { matchLabels: { a: "b" } }, template };
  const collection = `/apis/apps/v1/namespaces/default/${plural}`;
  expect((await sendRequest(api, "POST", { path: collection, body: { metadata: { name: "d" }, spec } })).status).toBe(
    201,
  );
  const request = { path: `${collection}/d/status`, body: { status }, type: mergePatch };
  expect((await sendRequest(api, "PATCH", request)).body.message).toContain(message);
});

test.each<[string, object, string]>([
  [
    "nodes",
    { capacity: { cpu: "-1" } },
    'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [
    "nodes",
    {
      addresses: [
        { type: "Hostname", address: "x" },
        { type: "Hostname", address: "x" },
      ],
    },
    "status.addresses[1]: Duplicate",
  ],
])("the status of %s with %o is rejected", async (plural, status, message) => {
  const api = testApi();
  await sendRequest(api, "POST", { path: `/api/v1/${plural}`, body: { metadata: { name: "n" } } });
  const request = { path: `/api/v1/${plural}/n/status`, body: { status }, type: mergePatch };
  expect((await sendRequest(api, "PATCH", request)).body.message).toContain(message);
});
