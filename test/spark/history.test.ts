import { expect, test } from "vitest";
import { start } from "../acceptance/programs.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();

test("history serves the event logs of the embedded cluster, and its server ends when it is killed", async () => {
  const script = "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate().range(9).count()\n";
  const { exit, stderr } = await cluster.submitScript(script, ["spark.app.name=recorded"]);
  expect(exit, stderr).toBe(0);
  const { child, ended } = start("firesteel", ["history"], { env: cluster.env() });
  const url = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk).trim()))),
    ended.then((outcome) => Promise.reject(new Error(outcome.stderr))),
  ]);
  const applications = async () => {
    const found: readonly { name: string }[] = JSON.parse(await (await fetch(`${url}/api/v1/applications`)).text());
    return found.map(({ name }) => name);
  };
  await expect.poll(applications, { timeout: 60_000 }).toEqual(["recorded"]);
  child.kill("SIGKILL");
  expect((await ended).exit).toBe("SIGKILL");
  const isServing = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await expect.poll(isServing, { timeout: 30_000 }).toBe(false);
});
