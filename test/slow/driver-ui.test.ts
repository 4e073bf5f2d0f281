import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { sparkCluster } from "../spark/spark-cluster.ts";

const cluster = sparkCluster();

test("the UI of a running driver is available at the URL of `cluster ui` and through kubectl port-forward", async () => {
  expect(await cluster.firesteel("cluster", "ui")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("No driver is running"),
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
      `spark.kubernetes.driver.volumes.hostPath.over.options.path=${cluster.directory}`,
    ],
  );
  let ui = { url: "", application: "", pod: "" };
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
  expect(await applicationsAt(ui.url)).toMatchObject([{ id: ui.application }]);
  const forwarded = await forwardedTo(ui.pod);
  if (forwarded !== undefined) {
    expect(await applicationsAt(forwarded)).toMatchObject([{ id: ui.application }]);
  }
  cluster.file("over", "");
  expect(await running).toMatchObject({ exit: 0 });
});

async function applicationsAt(url: string): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/applications`);
  return parse(await response.text());
}

/** Opens a pod's UI with `kubectl port-forward`. Returns `undefined` without kubectl. */
function forwardedTo(pod: string): Promise<string | undefined> {
  const args = ["port-forward", "--kubeconfig", cluster.kubeconfig(), `pod/${pod}`, ":4040"];
  const child = spawn("kubectl", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill();
  });
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("close", () => resolve("http://kubectl.ended"));
    child.stdout.on("data", (chunk) => {
      const port = /127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
  });
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}
