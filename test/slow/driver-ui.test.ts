import { expect, test } from "vitest";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();

test("the UI of a driver is where `cluster ui` says as long as the driver runs", async () => {
  expect(await cluster.firesteel("cluster", "ui")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("No driver runs"),
  });
  const running = cluster.submitScript(
    `
import os, sys, time
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate().range(10).count()
while not os.path.exists("/over/over"):
    time.sleep(0.1)
`,
    [
      ...["spark.executor.instances=1", "spark.app.name=watched"],
      "spark.kubernetes.driver.volumes.hostPath.over.mount.path=/over",
      `spark.kubernetes.driver.volumes.hostPath.over.options.path=${cluster.folder}`,
    ],
  );
  let ui = { url: "", application: "" };
  await expect
    .poll(
      async () => {
        const { exit, stdout } = await cluster.firesteel("cluster", "ui", "watched", "--json");
        if (exit === 0) ui = parse(stdout);
        return exit;
      },
      { timeout: 120_000, interval: 500 },
    )
    .toBe(0);
  const answer = await fetch(`${ui.url}/api/v1/applications`);
  expect(parse<{ id: string }[]>(await answer.text())).toMatchObject([{ id: ui.application }]);
  cluster.file("over", "");
  expect(await running).toMatchObject({ exit: 0 });
});

function parse<T>(text: string): T {
  return JSON.parse(text);
}
