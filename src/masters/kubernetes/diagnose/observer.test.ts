import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { chunks, type Fault, neverEndingStream, refused, testApi } from "../../../kube-client/test-api.ts";
import { latestPod } from "../watch/latest-pod.ts";
import { observer } from "./observer.ts";

const container = "main";

function driver(phase: string, state: object, initState?: object): Pod {
  const status = { image: "img", imageID: "", ready: false, restartCount: 0 };
  return {
    metadata: { name: "drv", namespace: "ns", uid: "u", labels: { "spark-app-selector": "spark-1" } },
    spec: {
      containers: [{ name: container, env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "claim" } },
        { name: "conf", configMap: { name: "map", items: [{ key: "spark.properties", path: "x" }] } },
      ],
    },
    status: {
      phase,
      containerStatuses: [{ ...status, name: container, state }],
      ...(initState && { initContainerStatuses: [{ ...status, name: "init", state: initState }] }),
    },
  };
}

const pending = driver("Pending", { waiting: {} });

function observing(pod: Pod, fault: Fault = () => undefined) {
  const { clock, random } = testHost();
  const api = testApi((request, number) => {
    const response = fault(request, number);
    if (response !== undefined) return response;
    if (request.path.includes("watch=")) return { status: 200, stream: neverEndingStream(request.signal) };
    return undefined;
  });
  const over = new AbortController();
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 5000 },
    log: () => {},
  });
  const latest = latestPod(pod);
  const logged: string[] = [];
  const seen = observer({
    ...{ client, clock, random, latest, container, signal: over.signal, properties: { a: "b" } },
    log: (level, _, text) => logged.push(`${level} ${text}`),
  });
  return {
    api,
    clock,
    latest,
    over,
    logged,
    observe: () => clock.settle(seen.observe({ isDeleted: false })),
    seen,
  };
}

test("a new driver causes requests for its events only", async () => {
  const { api, clock, observe, over } = observing(pending);
  await clock.advance(100);
  expect(await observe()).toMatchObject({ properties: { a: "b" }, executors: [], objects: [] });
  over.abort();
  expect(new Set(api.requestLines)).toEqual(new Set(["GET /api/v1/namespaces/ns/events"]));
  expect(api.requests[0]?.path).toContain("involvedObject.name%3Ddrv");
});

test("a blocked driver causes one read of related objects, with metadata only of ConfigMaps and Secrets", async () => {
  const fault: Fault = ({ path, headers }) => {
    if (path.endsWith("/secrets/s") && !headers["accept"]?.includes("PartialObjectMetadata")) throw new Error(path);
    if (path.endsWith("/secrets/s"))
      return { status: 200, body: { kind: "PartialObjectMetadata", metadata: { name: "s" } } };
    if (path.includes("/nodes")) return refused(403, "no nodes");
    return undefined;
  };
  const { api, clock, observe, over } = observing(pending, fault);
  await clock.advance(5000);
  const { objects } = await observe();
  expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(["Secret/s"]);
  const count = api.requests.length;
  expect(count).toBeLessThan(12);
  for (let round = 0; round < 5; round += 1) await observe();
  expect(api.requests).toHaveLength(count);
  over.abort();
});

test("a failing driver causes an immediate read of the nodes", async () => {
  const unscheduled: Pod = {
    ...pending,
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False" }] },
  };
  const node = { metadata: { name: "node-1" } };
  const fault: Fault = ({ path }) =>
    path.includes("/nodes") ? { status: 200, body: { kind: "NodeList", items: [node] } } : undefined;
  const { observe, over } = observing(unscheduled, fault);
  const { objects } = await observe();
  over.abort();
  expect(objects).toContainEqual(expect.objectContaining({ kind: "Node", ...node }));
});

test("logs of the driver and of its failed containers are read once after their end", async () => {
  const fault: Fault = ({ path }) =>
    path.includes("/log?") ? { status: 200, stream: chunks("2026-01-01T00:00:01Z hello\nmore\n") } : undefined;
  const ended = driver("Failed", { terminated: { exitCode: 1 } }, { terminated: { exitCode: 3 } });
  const { api, observe, over } = observing(ended, fault);
  const at = Date.UTC(2026, 0, 1, 0, 0, 1);
  const lines = [
    { at, text: "hello" },
    { at, text: "more" },
  ];
  expect((await observe()).driver?.logs).toEqual({ init: lines, [container]: lines });
  await observe();
  over.abort();
  expect(api.requestLines.filter((call) => call.endsWith("/log"))).toHaveLength(2);
});

test("of an endless log, the first bytes of the last lines are kept", async () => {
  let sentLines = 0;
  async function* endless() {
    const line = Buffer.from(`2026-01-01T00:00:01Z ${"x".repeat(100_000)}\n`);
    for (; sentLines < 1000; sentLines += 1) yield line;
  }
  const fault: Fault = ({ path }) => (path.includes("/log?") ? { status: 200, stream: endless() } : undefined);
  const { observe, over } = observing(driver("Failed", { terminated: { exitCode: 1 } }), fault);
  const log = (await observe()).driver?.logs[container] ?? [];
  over.abort();
  expect(sentLines).toBeLessThan(200);
  expect(log.length).toBeGreaterThan(100);
  expect(new Set(log.map(({ text }) => text.length))).toEqual(new Set([4096 - "2026-01-01T00:00:01Z ".length]));
});

test("executors are watched once the driver runs", async () => {
  const { api, clock, latest, over } = observing(pending);
  await clock.advance(1000);
  const watchesExecutors = () => api.requests.some(({ path }) => path.includes("spark-role%3Dexecutor"));
  expect(watchesExecutors()).toBe(false);
  latest.set(driver("Running", { running: {} }));
  await clock.advance(1000);
  over.abort();
  expect(watchesExecutors()).toBe(true);
});

test("events of an executor that does not start are read within seconds and repeatedly", async () => {
  const executor = {
    metadata: {
      name: "exec-1",
      uid: "e",
      resourceVersion: "4",
      creationTimestamp: new Date(testHost().clock.now()).toISOString(),
    },
    status: {
      phase: "Pending",
      containerStatuses: [{ name: "e", state: { waiting: { reason: "ContainerCreating" } } }],
    },
  };
  const fault: Fault = ({ path }) =>
    path.includes("spark-role%3Dexecutor") && !path.includes("watch=")
      ? { status: 200, body: { items: [executor], metadata: { resourceVersion: "5" } } }
      : undefined;
  const { api, clock, latest, observe, over, seen } = observing(pending, fault);
  latest.set(driver("Running", { running: {} }));
  const eventReads = () => api.requests.filter(({ path }) => path.includes("involvedObject.name%3Dexec-1")).length;
  await clock.advance(1000);
  await observe();
  expect(eventReads()).toBe(0);
  await clock.advance(3000);
  await observe();
  await observe();
  expect(eventReads()).toBe(1);
  await clock.advance(3000);
  await observe();
  expect(eventReads()).toBe(2);
  expect(seen.isSteady()).toBe(false);
  over.abort();
});

test("the log of a failed executor is read immediately and once, and kept after the pod's deletion", async () => {
  const failed = {
    metadata: { name: "exec-1", namespace: "ns", uid: "e", resourceVersion: "6" },
    status: { phase: "Running", containerStatuses: [{ name: "e", state: { terminated: { exitCode: 1 } } }] },
  };
  const deleted = { ...failed, metadata: { ...failed.metadata, resourceVersion: "7" } };
  let reads = 0;
  const fault: Fault = ({ path }) => {
    if (path.includes("/exec-1/log?")) {
      reads += 1;
      return reads > 1 ? refused(404, "gone") : { status: 200, stream: chunks("2026-01-01T00:00:01Z No agent\n") };
    }
    if (!path.includes("spark-role%3Dexecutor") || !path.includes("watch=")) return undefined;
    const events = [failed, deleted].map((object, at) =>
      JSON.stringify({ type: at === 0 ? "ADDED" : "DELETED", object }),
    );
    return { status: 200, stream: chunks(`${events[0]}\n`, `${events[1]}\n`) };
  };
  const { clock, latest, observe, over } = observing(pending, fault);
  latest.set(driver("Running", { running: {} }));
  await clock.advance(100);
  expect(reads).toBe(1);
  await clock.advance(60_000);
  const { executors } = await observe();
  over.abort();
  expect(executors[0]).toMatchObject({ isDeleted: true, logs: { e: [{ text: "No agent" }] } });
  expect(reads).toBe(1);
});

test("the log of an executor that ends is read before its pod is deleted", async () => {
  const ending = {
    metadata: {
      name: "exec-1",
      namespace: "ns",
      uid: "e",
      resourceVersion: "6",
      deletionTimestamp: "2026-01-01T00:00:02Z",
    },
    status: { phase: "Running", containerStatuses: [{ name: "e", state: { running: {} } }] },
  };
  const fault: Fault = ({ path }) => {
    if (path.includes("/exec-1/log?")) return { status: 200, stream: chunks("2026-01-01T00:00:01Z Saved output\n") };
    if (!path.includes("spark-role%3Dexecutor") || !path.includes("watch=")) return undefined;
    return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object: ending })}\n`) };
  };
  const { clock, latest, observe, over, seen } = observing(pending, fault);
  expect(seen.hasExecutors()).toBe(false);
  latest.set(driver("Running", { running: {} }));
  await clock.advance(100);
  const { executors } = await observe();
  over.abort();
  expect(seen.hasExecutors()).toBe(true);
  expect(executors[0]).toMatchObject({ logs: { e: [{ text: "Saved output" }] } });
});

test("denied lists are logged once", async () => {
  const { clock, latest, over, logged } = observing(pending, () => refused(403, "no right"));
  latest.set(driver("Running", { running: {} }));
  await clock.advance(120_000);
  over.abort();
  expect(logged).toEqual([expect.stringContaining("INFO Some causes may remain unknown: ")]);
});
