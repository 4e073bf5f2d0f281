import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { sparkOf } from "../spark-distributions.ts";
import { testWith } from "../test-with.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();

testWith(sparkOf("4.3"))("a job reads and writes files of this machine in its mounts", async () => {
  const data = join(cluster.directory, "data");
  mkdirSync(data);
  writeFileSync(join(data, "in.txt"), "a\nb\n");
  const script = [
    "from pyspark.sql import SparkSession",
    "spark = SparkSession.builder.getOrCreate()",
    'spark.read.text("/data/in.txt").selectExpr("upper(value)").write.text("/data/out")',
    'print("rows", spark.read.text("/data/out").count())',
    "try:",
    '    open("/again/new.txt", "w")',
    "except OSError as error:",
    '    print("read-only", error.errno)',
  ];
  const args = ["--mount", "data:/data", "--mount", "data:/again:ro", "--conf", "spark.executor.instances=1"];
  const { exit, stdout, stderr } = await cluster.submit(...args, cluster.file("job.py", script.join("\n")));
  expect(stdout, stderr.slice(-2000)).toContain("rows 2\n");
  expect(stdout).toContain("read-only 30\n");
  expect(exit).toBe(0);
  const parts = readdirSync(join(data, "out")).filter((name) => name.startsWith("part-"));
  expect(parts.map((name) => readFileSync(join(data, "out", name), "utf8")).join("")).toBe("A\nB\n");
});
