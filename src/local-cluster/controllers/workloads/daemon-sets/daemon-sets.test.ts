import { describe, expect, test } from "vitest";
import { isObject } from "../../../api/json.ts";
import { type TestApi, testApi } from "../../../test-api.ts";

const path = "/apis/apps/v1/namespaces/default/daemonsets";
const mergePatch = { "content-type": "application/merge-patch+json" };

function templateOf(image: string, spec: object = {}) {
  return { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "a", image }], ...spec } };
}

interface NodeParts {
  readonly labels?: object;
  readonly taints?: readonly object[];
}

function addNode(api: TestApi, name: string, { labels = {}, taints = [] }: NodeParts = {}): void {
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  api.put("nodes", { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints }, status });
}

async function create(spec: object = {}, nodes: readonly string[] = ["m", "n"]): Promise<TestApi> {
  const api = testApi();
  for (const node of nodes) addNode(api, node);
  const selector = { matchLabels: { app: "d" } };
  const body = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "d" } };
  const sent = { ...body, spec: { selector, template: templateOf("x:1"), ...spec } };
  const { status } = await api.call("POST", path, { body: sent });
  expect(status).toBe(201);
  await api.host.advance(10);
  return api;
}

async function patch(api: TestApi, spec: object): Promise<void> {
  expect((await api.call("PATCH", `${path}/d`, { body: { spec }, headers: mergePatch })).status).toBe(200);
  await api.host.advance(10);
}

function pods(api: TestApi) {
  return api.scope.store.list("pods", "default");
}

/** Returns the node of each pod, from its affinity. */
function targets(api: TestApi): unknown[] {
  return pods(api)
    .map(({ spec }) => /"values":\["(\w+)"\]/.exec(JSON.stringify(spec))?.[1])
    .sort();
}

function images(api: TestApi): unknown[] {
  return pods(api)
    .map(({ spec }) => /x:\d/.exec(JSON.stringify(spec))?.[0])
    .sort();
}

async function makeReady(api: TestApi): Promise<void> {
  const conditions = [{ type: "Ready", status: "True" }];
  for (const { metadata, status } of pods(api))
    if (isObject(status) && status["phase"] === "Pending")
      api.scope.store.update("pods", "default", metadata.name, (pod) => ({
        ...pod,
        status: { phase: "Running", conditions },
      }));
  await api.host.advance(10);
}

function statusOf(api: TestApi) {
  return api.scope.store.get("daemonsets.apps", "default", "d")?.["status"];
}

describe("a daemon set", () => {
  test("runs one pod on each node", async () => {
    const api = await create();
    expect(targets(api)).toEqual(["m", "n"]);
    expect(pods(api)[0]).toMatchObject({
      metadata: { labels: { app: "d", "pod-template-generation": "1" }, ownerReferences: [{ kind: "DaemonSet" }] },
      spec: { tolerations: expect.arrayContaining([expect.objectContaining({ key: "node.kubernetes.io/not-ready" })]) },
    });
    expect(statusOf(api)).toMatchObject({ desiredNumberScheduled: 2, currentNumberScheduled: 2, numberUnavailable: 2 });
    await makeReady(api);
    addNode(api, "o");
    await api.host.advance(10);
    expect(targets(api)).toEqual(["m", "n", "o"]);
    expect(statusOf(api)).toEqual({
      ...{ currentNumberScheduled: 3, numberMisscheduled: 0, desiredNumberScheduled: 3, numberReady: 2 },
      ...{ observedGeneration: 1, updatedNumberScheduled: 3, numberAvailable: 2, numberUnavailable: 1 },
    });
  });

  test("leaves out nodes that its selector or their taints exclude", async () => {
    const api = testApi();
    addNode(api, "plain");
    addNode(api, "ssd", { labels: { disk: "ssd" } });
    addNode(api, "tainted", { labels: { disk: "ssd" }, taints: [{ key: "k", effect: "NoSchedule" }] });
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    addNode(api, "cordoned", { labels: { disk: "ssd" }, taints: [cordon] });
    const template = templateOf("x:1", { nodeSelector: { disk: "ssd" } });
    const spec = { selector: { matchLabels: { app: "d" } }, template };
    await api.call("POST", path, { body: { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "d" }, spec } });
    await api.host.advance(10);
    expect(targets(api)).toEqual(["cordoned", "ssd"]);
    api.scope.store.update("nodes", undefined, "ssd", (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: {} },
    }));
    await api.host.advance(10);
    expect(targets(api)).toEqual(["cordoned"]);
  });

  test("replaces failed pods with growing delays", async () => {
    const api = await create({}, ["n"]);
    const fail = async () => {
      for (const { metadata } of pods(api))
        api.scope.store.update("pods", "default", metadata.name, (pod) => ({ ...pod, status: { phase: "Failed" } }));
      await api.host.advance(1);
      return pods(api).map(({ metadata }) => metadata.uid);
    };
    const [first] = pods(api).map(({ metadata }) => metadata.uid);
    const [second] = await fail();
    expect(second).not.toBe(first);
    expect(await fail()).toEqual([second]);
    await api.host.advance(1_000);
    expect(pods(api).map(({ metadata }) => metadata.uid)).not.toEqual([second]);
    const events = api.scope.store.list("events", "default").map(({ reason }) => reason);
    expect(events).toContain("FailedDaemonPod");
  });

  test("updates its pods one node after the other and can roll back", async () => {
    const api = await create();
    await makeReady(api);
    await patch(api, { template: templateOf("x:2") });
    expect(images(api)).toEqual(["x:1", "x:2"]);
    await makeReady(api);
    await makeReady(api);
    expect(images(api)).toEqual(["x:2", "x:2"]);
    expect(statusOf(api)).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2, observedGeneration: 2 });
    const revisions = () =>
      api.scope.store
        .list("controllerrevisions.apps", "default")
        .map(({ revision, data }) => [revision, /x:\d/.exec(JSON.stringify(data))?.[0]])
        .sort();
    expect(revisions()).toEqual([
      [1, "x:1"],
      [2, "x:2"],
    ]);
    await patch(api, { template: templateOf("x:1") });
    expect(revisions()).toEqual([
      [2, "x:2"],
      [3, "x:1"],
    ]);
  });

  test("with a surge starts the new pod before the old one is deleted", async () => {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    const api = await create({ updateStrategy }, ["n"]);
    await makeReady(api);
    await patch(api, { template: templateOf("x:2") });
    expect(images(api)).toEqual(["x:1", "x:2"]);
    await makeReady(api);
    expect(images(api)).toEqual(["x:2"]);
  });

  test("with OnDelete updates only pods that are deleted", async () => {
    const api = await create({ updateStrategy: { type: "OnDelete" } }, ["n"]);
    await makeReady(api);
    await patch(api, { template: templateOf("x:2") });
    expect(images(api)).toEqual(["x:1"]);
    await api.call("DELETE", `/api/v1/namespaces/default/pods/${pods(api)[0]?.metadata.name}`, {});
    await api.host.advance(10);
    expect(images(api)).toEqual(["x:2"]);
  });

  test("has revisions whose data has sorted keys, as clients that compare it as text expect", async () => {
    const api = await create({
      template: { ...templateOf("x:1"), metadata: { labels: { d: "1", app: "d", a: "2" } } },
    });
    const [revision] = api.scope.store.list("controllerrevisions.apps", "default");
    expect(JSON.stringify(revision?.["data"])).toMatch(
      /^\{"spec":\{"template":\{"\$patch":"replace","metadata":\{"labels":\{"a":"2","app":"d","d":"1"\}\},"spec":\{"containers":/,
    );
  });

  test("keeps at most the specified number of unused revisions", async () => {
    const api = await create({ revisionHistoryLimit: 1 }, ["n"]);
    for (const image of ["x:2", "x:3", "x:4"]) {
      await makeReady(api);
      await patch(api, { template: templateOf(image) });
    }
    await makeReady(api);
    expect(api.scope.store.list("controllerrevisions.apps", "default")).toHaveLength(2);
  });

  test.each<[object, string]>([
    [{ selector: { matchLabels: {} } }, "empty selector is invalid for daemonset"],
    [{ updateStrategy: { type: "Never" } }, 'supported values: "RollingUpdate", "OnDelete"'],
    [
      { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
      "may not be set when maxUnavailable is non-zero",
    ],
    [{ updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }, "cannot be 0 when maxSurge is 0"],
    [{ template: templateOf("x:1", { restartPolicy: "Never" }) }, 'supported values: "Always"'],
  ])("%j is rejected", async (spec, message) => {
    const valid = { selector: { matchLabels: { app: "d" } }, template: templateOf("x:1") };
    const body = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "e" }, spec: { ...valid, ...spec } };
    expect(JSON.parse(await (await testApi().call("POST", path, { body })).text()).message).toContain(message);
  });
});
