import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { allocationJob, allocationSettings, sharedDirectory } from "./allocation-job.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();
const shared = join(cluster.directory, "shared");

/** Executors run as another user. */
beforeAll(() => {
  mkdirSync(shared);
  chmodSync(shared, 0o777);
});

test("executors are added while tasks wait, and leave their map output in the fallback storage when they are idle", async () => {
  const body = `
log_of("ExecutorAllocationManager")
print("at once", len(held("wide", 3)))
kept = totals(6)
print("right", sorted(kept.collect()) == expected)
print("idle", wait_until(lambda: live() == 0, 180))
print("again", sorted(kept.collect()) == expected)`;
  const { exit, stdout, stderr } = await cluster.submitScript(allocationJob(shared, body), [
    ...allocationSettings,
    ...sharedDirectory(shared),
    ...["spark.firesteel.shuffle=decommission", "spark.dynamicAllocation.maxExecutors=3"],
    `spark.storage.decommission.fallbackStorage.path=file://${shared}/`,
  ]);
  expect(exit, stderr).toBe(0);
  const requests = [...stdout.matchAll(/Requesting (\d+) new executors? because tasks are backlogged/g)];
  expect(requests.slice(0, 2).map(([, count]) => Number(count))).toEqual([1, 2]);
  expect(stdout).toMatch(/^at once 3$/m);
  expect(stdout).toMatch(/^right True$/m);
  expect(stdout).toMatch(/^idle True$/m);
  expect(stdout).toMatch(/^again True$/m);
  expect(stdout).toMatch(/^map tasks 6$/m);
});
