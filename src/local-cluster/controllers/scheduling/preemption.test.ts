import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { podEvents } from "../../pods/pod-events.ts";
import { testApi } from "../../test-api.ts";
import { deleteObject } from "../controller.ts";
import { startScheduler } from "./scheduler.ts";

function partOf(pod: StoredObject | undefined, part: "spec" | "status"): JsonObject {
  const found = pod?.[part];
  return isObject(found) ? found : {};
}

/** Starts a scheduler on a node with 10 units of a resource. */
function cluster() {
  const { scope, host } = testApi();
  const { store } = scope;
  store.create("nodes", {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: "n" } },
    status: { allocatable: { units: "10", pods: "110" } },
  });
  startScheduler({
    ...{ host, store, events: podEvents(store, host, "n"), overcommits: false },
    deletePod: (pod) => deleteObject(scope, "pods", pod),
  });
  return {
    async create(name: string, priority: number, units: number, spec: object = {}) {
      store.create("pods", {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, status: { phase: "Pending" } },
        spec: { priority, containers: [{ name: "a", resources: { requests: { units: String(units) } } }], ...spec },
      });
      await host.advance(10);
    },
    async end(name: string) {
      store.remove("pods", "default", name);
      await host.advance(10);
    },
    /** Returns the state of a pod: its node, whether it terminates, and the node that is reserved for it. */
    state(name: string) {
      const pod = store.get("pods", "default", name);
      const node = partOf(pod, "spec")["nodeName"];
      const reserved = partOf(pod, "status")["nominatedNodeName"];
      return pod?.metadata.deletionTimestamp === undefined ? { node, reserved } : "terminating";
    },
    conditions: (name: string) => partOf(store.get("pods", "default", name), "status")["conditions"],
    reasons: () => store.list("events").map(({ reason }) => reason),
  };
}

const bound = { node: "n", reserved: undefined };
const waiting = { node: undefined, reserved: undefined };

test("a pod that fits no node preempts as few and as unimportant pods as possible, and takes their place", async () => {
  const { create, end, state, conditions, reasons } = cluster();
  await create("low", 1, 2);
  await create("middle", 2, 3);
  await create("high", 3, 4);
  await create("urgent", 4, 5);
  expect(state("high")).toEqual(bound);
  expect([state("low"), state("middle")]).toEqual(["terminating", "terminating"]);
  expect(conditions("low")).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: "DisruptionTarget", reason: "PreemptionByScheduler" })]),
  );
  expect(reasons().filter((reason) => reason === "Preempted")).toHaveLength(2);
  expect(state("urgent")).toEqual({ node: undefined, reserved: "n" });
  await end("low");
  // Only the pod for which the place is reserved takes it.
  await create("low-again", 1, 2);
  expect(state("low-again")).toEqual(waiting);
  await end("middle");
  expect(state("urgent")).toEqual(bound);
  expect(state("low-again")).toEqual(waiting);
  expect(state("high")).toEqual(bound);
});

test("a pod of the same priority, or with the policy Never, preempts nothing", async () => {
  const { create, state, conditions } = cluster();
  await create("first", 1, 10);
  await create("same", 1, 1);
  await create("polite", 2, 1, { preemptionPolicy: "Never" });
  expect([state("first"), state("same"), state("polite")]).toEqual([bound, waiting, waiting]);
  expect(conditions("polite")).toMatchObject([
    { message: expect.stringContaining("1 No preemption victims found for incoming pod") },
  ]);
});
