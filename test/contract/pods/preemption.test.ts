import { describe } from "vitest";
import type { Pod } from "../../../src/kube/types.ts";
import { podClusters } from "../pod-cluster.ts";
import { conditionsOf, createAt, sh, type TestNamespace } from "../test-namespace.ts";
import { podChecks, running } from "./pod-checks.ts";

/** Gives the first node two devices of the test's own kind. Returns the function that builds a pod with some of them. */
async function addDevices({ client, namespace }: TestNamespace) {
  const { items } = JSON.parse((await client.call("GET", "/api/v1/nodes")).text);
  const device = `${namespace}.example.com/device`;
  const status = { capacity: { [device]: "2" }, allocatable: { [device]: "2" } };
  const path = `/api/v1/nodes/${items[0].metadata.name}/status`;
  const { text } = await client.call("PATCH", path, { status }, { type: "application/merge-patch+json" });
  if (JSON.parse(text).status.allocatable[device] !== "2") throw new Error(text);
  return (count: number, more: object = {}) => ({
    ...{ terminationGracePeriodSeconds: 1, ...more },
    containers: [sh("a", "sleep 1000", { resources: { limits: { [device]: String(count) } } })],
  });
}

const waits = (pod: Pod) => conditionsOf(pod)["PodScheduled"] === "False Unschedulable";

describe.each(podClusters())("pods of different priorities on $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("a pod of high priority takes the place of the fewest pods of lower priority", async (space, context) => {
    const { expect, onTestFinished } = context;
    const withDevices = await addDevices(space);
    const [high, polite] = [`${space.namespace}-high`, `${space.namespace}-polite`];
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    onTestFinished(await createAt(space, classes, { metadata: { name: high }, value: 1000 }));
    const never = { preemptionPolicy: "Never" };
    onTestFinished(await createAt(space, classes, { metadata: { name: polite }, value: 1000, ...never }));
    for (const name of ["low-1", "low-2"]) await space.pod(name, withDevices(1));
    for (const name of ["low-1", "low-2"]) await space.until(name, running);
    await space.pod("polite", withDevices(1, { priorityClassName: polite }));
    await space.until("polite", waits);
    const watched = space.client.watch(`${space.at("pods")}?watch=true`, 60, undefined, ({ type, object }) => {
      return !(type === "DELETED" && object.metadata.name?.startsWith("low-"));
    });
    await space.pod("high", withDevices(1, { priorityClassName: high }));
    const victim: Pod = JSON.parse(JSON.stringify((await watched).at(-1)?.object));
    expect(conditionsOf(victim)["DisruptionTarget"]).toBe("True PreemptionByScheduler");
    expect((await space.until("high", running)).status?.nominatedNodeName).toBe(undefined);
    expect(waits(await space.get("polite"))).toBe(true);
    const { items } = JSON.parse((await space.client.call("GET", space.at("pods"))).text);
    expect(items).toHaveLength(3);
  });
});
