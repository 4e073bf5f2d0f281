import { describe, expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const cluster = sparkCluster();

describe.each(["3.5", "4.0", "4.1", "4.2", "4.3"])("Spark %s, next to other lines,", (line) => {
  test("runs for an image of that line", async (context) => {
    const spark = sparkOf(line);
    requires(spark)(context);
    const { version } = available(spark);
    const image = `apache/spark:${version}-scala2.13-java17-python3-ubuntu`;
    const { exit, stdout } = await cluster.submitScript(
      `
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print("Spark", spark.version, "of", spark.range(10).count())`,
      [`spark.kubernetes.container.image=${image}`, "spark.executor.instances=1"],
    );
    expect(stdout).toContain(`Spark ${version} of 10`);
    expect(exit).toBe(0);
  });
});
