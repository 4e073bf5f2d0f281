import { expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import { deleteObject } from "../controllers/controller.ts";
import { startScheduler } from "../controllers/scheduling/scheduler.ts";
import { localImages } from "../images/local-images.ts";
import { prepareIsolation } from "../pods/isolation.ts";
import { startNode } from "../pods/node.ts";
import { testApi } from "../test-api.ts";
import { withChaos } from "./chaos.ts";
import { chaosRules } from "./chaos-rules.ts";
import { failingPulls } from "./failing-pulls.ts";
import { steppedClock } from "./stepped-clock.ts";

/** Creates a cluster whose node simulates containers. */
async function simulatedCluster() {
  const { host, scope, api, call } = testApi();
  const clock = steppedClock(host.clock);
  const rules = chaosRules(host);
  const node = await startNode({
    host: { ...host, clock: clock.clock },
    ...{ store: scope.store, directory: "/cluster" },
    isolation: prepareIsolation({ host, directory: "/cluster", sandbox: "fake" }),
    api: { address: "127.90.0.1", port: 6443 },
    images: failingPulls(
      localImages({
        ...{ host, directory: "/cluster/images", sparkHomes: [], javaHome: undefined, sparkEnv: {} },
        loadedImages: "/loaded",
      }),
      rules,
    ),
    issueToken: () => "token",
  });
  startScheduler({
    ...{ host: { clock: clock.clock }, store: scope.store, events: node.events },
    deletePod: (pod) => deleteObject(scope, "pods", pod),
  });
  const { chaos } = withChaos(api, { scope, rules, clock, node: () => node.incidents });
  const path = "/api/v1/namespaces/default/pods";
  async function pod(name: string): Promise<Pod | undefined> {
    const response = await call("GET", `${path}/${name}`);
    return response.status === 404 ? undefined : JSON.parse(await response.text());
  }
  return {
    ...{ host, chaos, pod, clock, call },
    async run(name: string, spec: object = {}) {
      const body = {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name } },
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "a", image: "busybox:1", command: ["true"] }],
          ...spec,
        },
      };
      const response = await call("POST", path, { body });
      if (response.status !== 201) throw new Error(await response.text());
      await host.advance(900);
    },
    condition: async (name: string, type: string) =>
      (await pod(name))?.status?.conditions?.find((condition) => condition.type === type),
    node: async () => JSON.parse(await (await call("GET", "/api/v1/nodes/local")).text()),
    reasons: () => scope.store.list("events").map(({ reason }) => reason),
  };
}

test("evicts a pod like a node that lacks memory", async () => {
  const { host, chaos, run, pod, condition } = await simulatedCluster();
  await run("p", { restartPolicy: "Always" });
  chaos.cause({ incident: "evict", pod: "p" });
  await host.advance(5000);
  expect((await pod("p"))?.status).toMatchObject({
    ...{ phase: "Failed", reason: "Evicted" },
    message: expect.stringMatching(/^The node was low on resource: memory\./),
  });
  expect(await condition("p", "DisruptionTarget")).toMatchObject({ reason: "TerminationByKubelet" });
});

test("kills a container like the kernel's OOM killer, and its pod continues", async () => {
  const { host, chaos, run, pod } = await simulatedCluster();
  await run("p", { restartPolicy: "OnFailure" });
  chaos.cause({ incident: "oom", pod: "p", namespace: "default", container: "a" });
  await host.advance(1000);
  expect((await pod("p"))?.status?.containerStatuses?.[0]).toMatchObject({
    restartCount: 1,
    lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } },
  });
});

test("an incident of a missing pod is rejected with the running pods", async () => {
  const { chaos, run } = await simulatedCluster();
  await run("there");
  expect(() => chaos.cause({ incident: "oom", pod: "p" })).toThrow(
    expect.objectContaining({
      code: "SUBMIT_ERR_CHAOS_NOT_FOUND",
      issues: [expect.objectContaining({ hint: "Use one of: default/there." })],
    }),
  );
  const wrong = JSON.parse('{"incident":"evict","container":"a"}');
  expect(() => chaos.cause(wrong)).toThrow(
    /Invalid value 'nothing' for pod.*Invalid value 'container' for a field of evict/s,
  );
  expect(() => chaos.cause(JSON.parse('{"incident":"fire"}'))).toThrow(/allowed: evict, oom, lose-node/);
});

test("a lost node is not ready, and its pods are deleted when their tolerations expire", async () => {
  const { host, chaos, run, pod, condition, node, reasons } = await simulatedCluster();
  const toleration = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" };
  await run("short", { tolerations: [{ ...toleration, tolerationSeconds: 10 }] });
  await run("default");
  await run("unlimited", { tolerations: [toleration] });
  expect(chaos.cause({ incident: "lose-node" })).toMatchObject({ node: "lost" });
  const { spec, status } = await node();
  expect(spec.taints.map(({ effect }: { effect: string }) => effect)).toEqual(["NoSchedule", "NoExecute"]);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }),
  );
  expect(await condition("default", "Ready")).toMatchObject({ status: "False" });
  await host.advance(11_000);
  expect((await pod("short"))?.metadata?.deletionTimestamp).toBeDefined();
  expect(await condition("short", "DisruptionTarget")).toMatchObject({ reason: "DeletionByTaintManager" });
  expect((await pod("default"))?.metadata?.deletionTimestamp).toBeUndefined();
  // The default toleration is five minutes.
  await host.advance(300_000);
  expect((await pod("default"))?.metadata?.deletionTimestamp).toBeDefined();
  expect((await pod("default"))?.status?.phase).toBe("Running");
  expect((await pod("unlimited"))?.metadata?.deletionTimestamp).toBeUndefined();
  expect(reasons()).toEqual(expect.arrayContaining(["NodeNotReady", "TaintManagerEviction"]));
  await run("late");
  expect((await condition("late", "PodScheduled"))?.message).toContain("1 node(s) had untolerated taint(s)");

  chaos.cause({ incident: "return-node" });
  await host.advance(40_000);
  expect(await Promise.all(["short", "default"].map(pod))).toEqual([undefined, undefined]);
  expect(await condition("unlimited", "Ready")).toMatchObject({ status: "True" });
  expect((await node()).spec).not.toHaveProperty("taints");
  expect((await pod("late"))?.status?.phase).toBe("Running");
});

test("a deleted node deletes its pods and returns after its duration", async () => {
  const { host, chaos, run, pod, call, node } = await simulatedCluster();
  await run("p");
  chaos.cause({ incident: "lose-node", gone: true, forMs: 60_000 });
  expect(await pod("p")).toBeUndefined();
  expect((await call("GET", "/api/v1/nodes/local")).status).toBe(404);
  await run("late");
  expect((await pod("late"))?.status?.phase).toBe("Pending");
  await host.advance(60_000);
  expect((await node()).metadata.name).toBe("local");
  expect((await pod("late"))?.status?.phase).toBe("Running");
});

test("pulls of an existing image fail while a rule says so", async () => {
  const { host, chaos, run, pod } = await simulatedCluster();
  const { id } = chaos.add({ fault: "image-pull", image: "busybox:*" });
  await run("p");
  expect((await pod("p"))?.status?.containerStatuses?.[0]?.state?.waiting).toMatchObject({
    reason: "ErrImagePull",
    message: expect.stringContaining('resolve reference "docker.io/library/busybox:1"'),
  });
  await host.advance(2000);
  expect((await pod("p"))?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("ImagePullBackOff");
  chaos.remove(id);
  await host.advance(15_000);
  expect((await pod("p"))?.status?.phase).toBe("Running");
});

test("steps the clock forwards and back, and clearing resets it", async () => {
  const { host, chaos, clock } = await simulatedCluster();
  expect(chaos.cause({ incident: "step-clock", byMs: 3_600_000 }).clockOffsetMs).toBe(3_600_000);
  chaos.cause({ incident: "step-clock", byMs: -7_200_000 });
  expect(clock.clock.now() - host.clock.now()).toBe(-3_600_000);
  expect(clock.clock.monotonic()).toBe(host.clock.monotonic());
  chaos.clear();
  expect(chaos.state()).toEqual({ rules: [], node: "ready", clockOffsetMs: 0 });
});
