import { afterAll, beforeAll, beforeEach, type TestContext, test } from "vitest";
import type { Pod } from "../../../src/kube/types.ts";
import { missingOf } from "../../requirements.ts";
import { requires } from "../../test-with.ts";
import type { OpenPodCluster, PodCluster } from "../pod-cluster.ts";
import { conditionsOf, createTestNamespace, stateOf, type TestNamespace } from "../test-namespace.ts";

/** Defines a test that runs in its own namespace. The number in its name is that of the check in the conformance list. */
type Check = (name: string, run: (space: TestNamespace, context: TestContext) => Promise<void>) => void;

/** Opens a cluster for the checks of a `describe`. Returns the function that defines one. */
export function podChecks({ open, required }: PodCluster): Check {
  let cluster: OpenPodCluster | undefined;
  beforeAll(async () => {
    if (missingOf(required) === undefined) cluster = await open();
  });
  afterAll(() => cluster?.close());
  beforeEach(requires(required));
  return (name, run) =>
    test(name, async (context) => {
      if (cluster === undefined) throw new Error("the cluster has not started");
      const space = await createTestNamespace(cluster);
      try {
        await run(space, context);
      } finally {
        await space.close();
      }
    });
}

export const running = ({ status }: Pod) => status?.phase === "Running";
export const ready = (pod: Pod) => conditionsOf(pod)["Ready"] === "True";
export const terminated = (pod: Pod, which: number | string = 0) => stateOf(pod, which).terminated;
export const waitsFor = (reason: string) => (pod: Pod) => stateOf(pod).waiting?.reason === reason;
