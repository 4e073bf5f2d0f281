import { expect, test } from "vitest";
import { killExecutors, shuffleJob, shuffleJobSettings } from "./shuffle-job.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster(["--shuffle-service", "--shuffle-port", "0"]);

test("executors that are killed between the stages leave their map output to the shuffle service", async () => {
  const status = JSON.parse((await cluster.firesteel("cluster", "status", "--json")).stdout);
  const { exit, stdout } = await cluster.submitScript(shuffleJob(killExecutors), [
    ...shuffleJobSettings,
    ...["spark.firesteel.shuffle=service", "spark.dynamicAllocation.enabled=false"],
    `spark.firesteel.shuffle.directories=${status.shuffle.directory}`,
    `spark.shuffle.service.port=${status.shuffle.port}`,
  ]);
  expect(stdout).toMatch(/^ended True$/m);
  expect(stdout).toMatch(/^result True$/m);
  expect(stdout).toMatch(/^map tasks 4$/m);
  expect(stdout).toMatch(/^replaced True$/m);
  expect(exit).toBe(0);
});

test("without the service, the map tasks of killed executors run again", async () => {
  const { exit, stdout } = await cluster.submitScript(shuffleJob(killExecutors), shuffleJobSettings);
  expect(stdout).toMatch(/^result True$/m);
  expect(stdout).toMatch(/^map tasks [5-8]$/m);
  expect(exit).toBe(0);
});
