import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { testWith } from "../test-with.ts";

const script = [
  "import sys",
  "from pyspark.sql import SparkSession",
  "spark = SparkSession.builder.getOrCreate()",
  "context = spark.sparkContext",
  'print("sum", context.parallelize(range(100), 2).sum(), "at", context.master)',
  "spark.stop()",
  "sys.exit(5)",
];

for (const line of ["3.5", "4.3"]) {
  const spark = sparkOf(line);
  testWith(spark)(`a driver here has executors in a cluster of its own, Spark ${line}`, async () => {
    const directory = temporaryDirectory();
    const app = join(directory, "app.py");
    writeFileSync(app, script.join("\n"));
    const env = withSpark({ SPARK_HOME: available(spark).home, FIRESTEEL_STATE: join(directory, "state") });
    const args = ["--master", "k8s://embedded", "--conf", "spark.executor.instances=1", app];
    const { exit, stdout, stderr } = await run("spark-submit", args, { env });
    expect(stdout, stderr.slice(-2000)).toMatch(/^sum 4950 at k8s:\/\/https:\/\/127\./m);
    expect(exit).toBe(5);
  });
}
