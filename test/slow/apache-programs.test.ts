import { hostname } from "node:os";
import { beforeEach, describe, expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const cluster = sparkCluster();
const script = `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("total", spark.range(1000).selectExpr("sum(id) as s").collect()[0].s)
`;

describe.each(["3.5", "4.3"])("Apache's own programs of Spark %s, unchanged,", (line) => {
  const spark = sparkOf(line);
  beforeEach(requires(spark));
  const apache = (call: Parameters<typeof cluster.apache>[1], { version } = available(spark)) =>
    cluster.apache(available(spark), {
      ...call,
      args: ["--conf", `spark.kubernetes.container.image=spark:${version}`, ...call.args],
    });

  test("submit a driver into a pod", async () => {
    const account = ["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"];
    const pi = "local:///opt/spark/examples/src/main/python/pi.py";
    const { exit, stderr } = await apache({
      program: "spark-submit",
      args: ["--deploy-mode", "cluster", ...account, pi, "2"],
    });
    expect(stderr).toMatch(/exit code: 0/i);
    expect(exit).toBe(0);
  });

  test("run a local driver that pods reach by its address", async () => {
    const args = [cluster.file("total.py", script)];
    expect(await apache({ program: "spark-submit", args })).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("total 499500"),
    });
  });

  test("run a local driver that uses this machine's name", async () => {
    const args = [cluster.file("total.py", script)];
    const env = { SPARK_LOCAL_HOSTNAME: hostname() };
    expect(await apache({ program: "spark-submit", args, env })).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("total 499500"),
    });
  });

  test("start a Scala shell", async () => {
    const input = 'println("total " + spark.range(1000).selectExpr("sum(id)").first().getLong(0))\n';
    const { stdout } = await apache({ program: "spark-shell", args: [], input });
    expect(stdout).toContain("total 499500");
  });

  test("start a Python shell", async () => {
    const input = 'print("total", spark.range(1000).selectExpr("sum(id) as s").collect()[0].s)\n';
    const env = { PYSPARK_DRIVER_PYTHON_OPTS: "-i" };
    const { stdout } = await apache({ program: "pyspark", args: [], env, input });
    expect(stdout).toContain("total 499500");
  });
});
