import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { PodSpec } from "../../kube/types.ts";
import { isObject } from "../api/json.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import type { StoreEvent } from "../api/store.ts";
import { startScheduler } from "../controllers/scheduling/scheduler.ts";
import { localImages } from "../images/local-images.ts";
import { prepareIsolation } from "./isolation.ts";
import { startNode } from "./node.ts";

const image = "busybox:1";
const defaultContainer = { name: "a", image, command: ["true"] };

const withHostPort = { ...defaultContainer, ports: [{ containerPort: 80, hostPort: 8080 }] };

/** Starts a node with the fake sandbox and returns what clients see of it. */
async function fakeNode() {
  const host = testHost();
  const store = createMemoryStore(host);
  const node = await startNode({
    ...{ host, store, directory: "/cluster" },
    isolation: prepareIsolation({ host, directory: "/cluster", sandbox: "fake" }),
    api: { address: "127.90.0.1", port: 6443 },
    images: localImages({
      ...{ host, directory: "/cluster/images", sparkHomes: [], javaHome: undefined, sparkEnv: {} },
      loadedImages: "/loaded",
    }),
    issueToken: ({ serviceAccount }) => (serviceAccount === "gone" ? undefined : "token"),
  });
  startScheduler({ host, store, events: node.events, deletePod() {} });
  const seen: StoreEvent[] = [];
  store.subscribe((event) => seen.push(event));
  function create({ containers = [defaultContainer], ...spec }: Partial<PodSpec>, script?: string) {
    const volumeMounts = (spec.volumes ?? []).map(({ name }) => ({ name, mountPath: `/${name}` }));
    const annotations = script === undefined ? {} : { "firesteel.dev/fake": script };
    store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "p", namespace: "default", annotations },
      spec: {
        ...{ restartPolicy: "Never", ...spec },
        containers: containers.map((container) => ({ volumeMounts, ...container })),
      },
      status: { phase: "Pending" },
    });
  }
  const status = () => {
    const pod = store.get("pods", "default", "p");
    return isObject(pod?.["status"]) ? pod["status"] : {};
  };
  return {
    ...{ host, store, node, create, status },
    /** Lists the reasons of the pod's events, with counts above one. */
    events: () =>
      store
        .list("events")
        .map(({ reason, count }) => (count === undefined || count === 1 ? reason : `${reason} x${count}`)),
    /** Lists the events of a watch on pods: type, phase and container state. */
    watchEvents: () =>
      seen
        .filter(({ collection }) => collection === "pods")
        .map(({ type, object }) => `${type} ${summary(object["status"])}`),
    remove: (graceSeconds: number) =>
      store.update("pods", "default", "p", (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          deletionTimestamp: "2026-01-02T03:04:35Z",
          deletionGracePeriodSeconds: graceSeconds,
        },
      })),
    object: (kind: string, name: string, data: Record<string, string>) =>
      store.create(`${kind.toLowerCase()}s`, {
        ...{ apiVersion: "v1", kind },
        metadata: { name, namespace: "default" },
        data,
      }),
    async log(follow = false) {
      const result = node.logs.read({
        ...{ namespace: "default", pod: "p", container: "a", follow, previous: false, timestamps: false },
        ...{ tailLines: undefined, limitBytes: undefined, since: undefined },
        signal: new AbortController().signal,
      });
      if (!("chunks" in result)) return result.message;
      let text = "";
      for await (const chunk of result.chunks) text += Buffer.from(chunk).toString("utf8");
      return text;
    },
  };
}

function summary(status: unknown): string {
  if (!isObject(status)) return "";
  const [container] = Array.isArray(status["containerStatuses"]) ? status["containerStatuses"] : [];
  const state = isObject(container) && isObject(container["state"]) ? container["state"] : {};
  const detail = Object.values(state)[0];
  const reason = isObject(detail) && typeof detail["reason"] === "string" ? ` ${detail["reason"]}` : "";
  return `${status["phase"]} ${Object.keys(state)[0] ?? "-"}${reason}`;
}

describe("a pod on the node", () => {
  test("shows the generation of its spec that the node has seen", async () => {
    const cluster = await fakeNode();
    cluster.create({});
    await cluster.host.advance(100);
    cluster.store.update("pods", "default", "p", (pod) => ({ ...pod, metadata: { ...pod.metadata, generation: 2 } }));
    await cluster.host.advance(100);
    expect(cluster.status()).toMatchObject({ phase: "Running", observedGeneration: 2 });
  });

  test.each([
    { of: "host port is in use", reason: "NodePorts", spec: { containers: [withHostPort] } },
    { of: "selector does not match the node", reason: "NodeAffinity", spec: { nodeSelector: { disk: "none" } } },
  ])("fails if it was assigned without the scheduler and its $of", async ({ reason, spec }) => {
    const cluster = await fakeNode();
    cluster.store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "first", namespace: "default" } },
      spec: { nodeName: "local", restartPolicy: "Never", containers: [withHostPort] },
    });
    await cluster.host.advance(100);
    cluster.create({ nodeName: "local", ...spec });
    await cluster.host.advance(100);
    expect(cluster.status()).toMatchObject({ phase: "Failed", reason });
    expect(cluster.events()).toContain(reason);
  });

  test("is bound, created, run and ended with a watch event per step", async () => {
    const cluster = await fakeNode();
    cluster.create({}, "after=1000,exit=3,log=hello");
    await cluster.host.advance(5000);
    expect(cluster.watchEvents()).toEqual([
      "ADDED Pending -",
      "MODIFIED Pending -",
      "MODIFIED Pending waiting ContainerCreating",
      "MODIFIED Running running",
      "MODIFIED Running terminated Error",
      "MODIFIED Failed terminated Error",
    ]);
    expect(cluster.events()).toEqual(expect.arrayContaining(["Scheduled", "Pulled", "Created", "Started"]));
    expect(cluster.status()).toMatchObject({ podIP: "10.0.0.2", hostIP: "127.90.0.1" });
    expect(await cluster.log()).toBe("hello\n");
  });

  test("waits for its ConfigMap with growing delays and starts as soon as it exists", async () => {
    const cluster = await fakeNode();
    cluster.create({ volumes: [{ name: "v", configMap: { name: "late" } }] });
    await cluster.host.advance(3600);
    expect(cluster.status()).toMatchObject({ phase: "Pending" });
    expect(cluster.events()).toContain("FailedMount x4");
    expect(await cluster.log()).toBe('container "a" in pod "p" is waiting to start: ContainerCreating');
    cluster.object("ConfigMap", "late", { key: "value" });
    await cluster.host.advance(10);
    expect(cluster.status()).toMatchObject({ phase: "Running" });
  });

  test("waits for the source of a variable and starts as soon as it exists", async () => {
    const cluster = await fakeNode();
    const secretKeyRef = { name: "s", key: "k" };
    const env = [{ name: "X", valueFrom: { secretKeyRef } }];
    cluster.create({ containers: [{ name: "a", image, command: ["true"], env }] });
    await cluster.host.advance(100);
    expect(summary(cluster.status())).toBe("Pending waiting CreateContainerConfigError");
    cluster.object("Secret", "s", { k: "dg==" });
    await cluster.host.advance(10);
    expect(cluster.status()).toMatchObject({ phase: "Running" });
  });

  test("waits for an image and shows when it retries", async () => {
    const cluster = await fakeNode();
    cluster.create({ containers: [{ name: "a", image: "nosuch:1" }] });
    await cluster.host.advance(10);
    expect(summary(cluster.status())).toBe("Pending waiting ErrImagePull");
    await cluster.host.advance(1000);
    expect(summary(cluster.status())).toBe("Pending waiting ImagePullBackOff");
    expect(await cluster.log()).toBe('container "a" in pod "p" is waiting to start: trying and failing to pull image');
    await cluster.host.advance(9000);
    expect(summary(cluster.status())).toBe("Pending waiting ErrImagePull");
    expect(cluster.events()).toEqual(expect.arrayContaining(["Pulling x2", "BackOff"]));
  });

  test("fails when its command cannot be run", async () => {
    const cluster = await fakeNode();
    cluster.create({}, 'startError=exec: "nosuch": executable file not found in $PATH');
    await cluster.host.advance(100);
    expect(summary(cluster.status())).toBe("Failed terminated StartError");
    expect(JSON.stringify(cluster.status())).toContain(
      'exec: \\"nosuch\\": executable file not found in $PATH: unknown',
    );
  });

  test("restarts with growing delays", async () => {
    const cluster = await fakeNode();
    cluster.create({ restartPolicy: "Always" }, "after=1000,exit=1");
    await cluster.host.advance(5000);
    expect(summary(cluster.status())).toBe("Running waiting CrashLoopBackOff");
    expect(cluster.status()).toMatchObject({ containerStatuses: [{ restartCount: 1 }] });
    expect(cluster.events()).toEqual(expect.arrayContaining(["Started x2", "BackOff"]));
    await cluster.host.advance(9000);
    expect(cluster.status()).toMatchObject({ containerStatuses: [{ restartCount: 2 }] });
  });

  test("fails when its deadline has passed", async () => {
    const cluster = await fakeNode();
    cluster.create({ activeDeadlineSeconds: 3 });
    await cluster.host.advance(3100);
    expect(cluster.status()).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(cluster.events()).toEqual(expect.arrayContaining(["DeadlineExceeded", "Killing"]));
  });

  test("stays Pending when its service account does not exist", async () => {
    const cluster = await fakeNode();
    const sources = [{ serviceAccountToken: { path: "token" } }];
    cluster.create({ serviceAccountName: "gone", volumes: [{ name: "v", projected: { sources } }] });
    await cluster.host.advance(100);
    expect(cluster.status()).toMatchObject({ phase: "Pending" });
    expect(cluster.events()).toContain("FailedMount");
  });
});

describe("a pod that is deleted", () => {
  test("is terminated, shown as Failed, and then removed", async () => {
    const cluster = await fakeNode();
    cluster.create({});
    await cluster.host.advance(100);
    cluster.remove(30);
    await cluster.host.advance(100);
    expect(cluster.watchEvents().slice(-4)).toEqual([
      "MODIFIED Running running",
      "MODIFIED Failed terminated Error",
      "MODIFIED Failed terminated Error",
      "DELETED Failed terminated Error",
    ]);
    expect(cluster.events()).toContain("Killing");
    expect(cluster.host.files.list("/cluster/pods")).toEqual([]);
  });

  test("before it ran is shown as lost", async () => {
    const cluster = await fakeNode();
    cluster.create({ containers: [{ name: "a", image: "nosuch:1" }] });
    await cluster.host.advance(100);
    cluster.remove(30);
    await cluster.host.advance(100);
    expect(cluster.watchEvents().at(-1)).toBe("DELETED Failed terminated ContainerStatusUnknown");
  });

  test("by force leaves nothing behind", async () => {
    const cluster = await fakeNode();
    cluster.create({});
    await cluster.host.advance(100);
    cluster.store.remove("pods", "default", "p");
    await cluster.host.advance(100);
    expect(cluster.host.files.list("/cluster/pods")).toEqual([]);
  });
});

describe("the scheduler", () => {
  test.each<[string, Partial<PodSpec>, string]>([
    [
      "a label that the node lacks",
      { nodeSelector: { disk: "ssd" } },
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "more than the machine has",
      {
        containers: [
          { name: "a", image, resources: { requests: { memory: "9Gi", cpu: "1" } } },
          { name: "b", image, resources: { requests: { cpu: "1500m" } } },
        ],
      },
      "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "a claim that is not there",
      { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }] },
      '0/1 nodes are available: persistentvolumeclaim "late" not found. not found',
    ],
  ])("reports why a pod does not fit: %s", async (_, spec, message) => {
    const cluster = await fakeNode();
    cluster.create(spec);
    await cluster.host.advance(100);
    expect(cluster.status()).toMatchObject({
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
    });
    expect(cluster.events()).toEqual(["FailedScheduling"]);
  });

  test("schedules a pod as soon as its claim exists and binds the claim to a volume", async () => {
    const cluster = await fakeNode();
    cluster.create({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }] });
    await cluster.host.advance(100);
    cluster.store.create("persistentvolumeclaims", {
      ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
      metadata: { name: "late", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      status: { phase: "Pending" },
    });
    await cluster.host.advance(100);
    expect(cluster.status()).toMatchObject({ phase: "Running" });
    expect(cluster.store.get("persistentvolumeclaims", "default", "late")).toMatchObject({
      status: { phase: "Bound", capacity: { storage: "1Gi" } },
    });
  });

  test.each<[string, Partial<PodSpec>]>([
    ["has scheduling gates", { schedulingGates: [{ name: "example.com/wait" }] }],
    ["names another scheduler", { schedulerName: "volcano" }],
  ])("ignores a pod that %s", async (_, spec) => {
    const cluster = await fakeNode();
    cluster.create(spec);
    await cluster.host.advance(1000);
    expect(cluster.watchEvents()).toEqual(["ADDED Pending -"]);
  });
});
