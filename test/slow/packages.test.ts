import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

/** A job with packages: coordinates for a Spark line, and a script that prints `result RESULT`. */
interface PackageJob {
  readonly name: string;
  readonly packages: string;
  readonly settings?: readonly string[];
  readonly script: readonly string[];
  readonly result: string;
}

const session = ["from pyspark.sql import SparkSession", "spark = SparkSession.builder.getOrCreate()"];

const scopt = (scala: string): PackageJob => ({
  name: "scopt",
  packages: `com.github.scopt:scopt_${scala}:4.1.0`,
  script: [
    ...session,
    "loader = spark._jvm.Thread.currentThread().getContextClassLoader()",
    'print("result", spark._jvm.java.lang.Class.forName("scopt.OParser", True, loader).getName())',
  ],
  result: "scopt.OParser",
});

const avro = (coordinates: string): PackageJob => ({
  name: "spark-avro",
  packages: coordinates,
  script: [
    ...session,
    "from pyspark.sql.avro.functions import from_avro, to_avro",
    "schema = '\"long\"'",
    'encoded = spark.range(100, numPartitions=2).select(to_avro("id").alias("bytes"))',
    'print("result", encoded.select(from_avro("bytes", schema).alias("id")).groupBy().sum("id").first()[0])',
  ],
  result: "4950",
});

const kafka = (coordinates: string): PackageJob => ({
  name: "kafka",
  packages: coordinates,
  script: [
    ...session,
    "try:",
    '    spark.read.format("kafka").option("subscribe", "topic").load()',
    "except Exception as error:",
    '    print("result", "kafka.bootstrap.servers" in str(error))',
  ],
  result: "True",
});

/** A job that writes a table, deletes some of its rows, and reads it. */
const table = (job: Pick<PackageJob, "name" | "packages" | "settings">, name: string, format: string): PackageJob => ({
  ...job,
  script: [
    ...session,
    `spark.sql("CREATE TABLE ${name} USING ${format} AS SELECT id FROM range(0, 100, 1, 2)")`,
    `spark.sql("DELETE FROM ${name} WHERE id < 50")`,
    `print("result", spark.sql("SELECT sum(id) FROM ${name}").first()[0])`,
  ],
  result: "3725",
});

const delta = (packages: string) =>
  table(
    {
      ...{ name: "delta-spark", packages },
      settings: [
        "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
      ],
    },
    "delta.`/data/delta`",
    "delta",
  );

const iceberg = (packages: string) =>
  table(
    {
      ...{ name: "iceberg-spark-runtime", packages },
      settings: [
        "spark.sql.extensions=org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.local=org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.local.type=hadoop",
        "spark.sql.catalog.local.warehouse=/data/iceberg",
      ],
    },
    "local.db.t",
    "iceberg",
  );

/** A job whose executors call a static method of a package that is not published for their Spark yet. */
const call = (
  job: Pick<PackageJob, "name" | "packages" | "result">,
  [type, method]: readonly [string, string],
): PackageJob => ({
  ...job,
  script: [
    ...session,
    `rows = spark.sql("SELECT reflect('${type}', '${method}') FROM range(0, 10, 1, 2)").collect()`,
    'print("result", rows[9][0])',
  ],
});

/** Jobs by Spark line. */
const jobs: Readonly<Record<string, readonly PackageJob[]>> = {
  "3.5": [
    scopt("2.12"),
    avro("org.apache.spark:spark-avro_2.12:3.5.7"),
    kafka("org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.7"),
    delta("io.delta:delta-spark_2.12:3.3.2"),
    iceberg("org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.1"),
  ],
  "4.3": [
    scopt("2.13"),
    avro("org.apache.spark:spark-avro_2.13:4.2.0"),
    kafka("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"),
    call({ name: "delta-spark", packages: "io.delta:delta-spark_4.1_2.13:4.4.0", result: "4.4.0" }, [
      "io.delta.package",
      "VERSION",
    ]),
    call(
      {
        ...{ name: "iceberg-spark-runtime", result: "1.12.0" },
        packages: "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
      },
      ["org.apache.iceberg.IcebergBuild", "version"],
    ),
  ],
};

const cluster = sparkCluster();

/** Settings that mount a directory at `/data` in driver and executors. */
function dataMounts(directory: string): readonly string[] {
  return ["driver", "executor"].flatMap((role) => [
    `spark.kubernetes.${role}.volumes.hostPath.data.mount.path=/data`,
    `spark.kubernetes.${role}.volumes.hostPath.data.options.path=${directory}`,
  ]);
}

describe.each(Object.entries(jobs))("with Spark %s, a job", (line, rows) => {
  test.for(rows)("finds the classes of $name in driver and executors", async (job, context) => {
    requires(sparkOf(line))(context);
    const data = join(cluster.directory, `data-${line}-${job.name}`);
    mkdirSync(data);
    chmodSync(data, 0o777);
    const settings = [...dataMounts(data), "spark.executor.instances=1", ...(job.settings ?? [])];
    const args = settings.flatMap((setting) => ["--conf", setting]);
    const script = cluster.file(`${line}-${job.name}.py`, job.script.join("\n"));
    const outcome = await cluster.submit("--spark-version", line, "--packages", job.packages, ...args, script);
    expect(outcome.stdout, `${outcome.stdout.slice(-3000)}${outcome.stderr.slice(-2000)}`).toContain(
      `result ${job.result}`,
    );
    expect(outcome.stdout).not.toContain("Ivy Default Cache");
    expect(outcome.exit).toBe(0);
  });
});
