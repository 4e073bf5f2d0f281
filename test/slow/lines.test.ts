import { describe, expect, test } from "vitest";
import { sparkCluster, sparkOf } from "./spark-cluster.ts";

const cluster = sparkCluster();

describe.each(["3.5", "4.0", "4.1", "4.2", "4.3"])("Spark %s, next to other lines,", (line) => {
  test("runs for an image of that line", async ({ skip }) => {
    const spark = sparkOf(line);
    if (spark === undefined) skip(`firesteel spark install ${line}`);
    const image = `apache/spark:${spark?.version}-scala2.13-java17-python3-ubuntu`;
    const { exit, stdout } = await cluster.submitScript(
      `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("Spark", spark.version, "of", spark.range(10).count())`,
      [`spark.kubernetes.container.image=${image}`, "spark.executor.instances=1"],
    );
    expect(stdout).toContain(`Spark ${spark?.version} of 10`);
    expect(exit).toBe(0);
  });
});
