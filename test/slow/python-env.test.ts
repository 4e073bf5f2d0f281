import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires } from "../test-with.ts";

const cluster = sparkCluster();

/** Prints the package's directory in driver and executor, after the working directory. */
const script = [
  "import os",
  "import tabulate",
  "from pyspark.sql import SparkSession",
  "spark = SparkSession.builder.getOrCreate()",
  "def found(_):",
  "    import os",
  "    import tabulate",
  "    yield os.path.relpath(tabulate.__file__)",
  'print("driver", os.path.relpath(tabulate.__file__))',
  'print("executor", spark.sparkContext.parallelize(range(2), 1).mapPartitions(found).collect()[0])',
  'print("pyspark of the image", __import__("pyspark").__file__.startswith("/opt/spark/"))',
].join("\n");

/** Names by which the environment can be specified, with what they need. */
const environments: Readonly<Record<string, (directory: string) => string>> = {
  "a requirements file": (directory) => {
    writeFileSync(join(directory, "requirements.txt"), "tabulate==0.9.0\npyspark\n");
    return "requirements.txt";
  },
  "a project": (directory) => {
    const project = '[project]\nname = "job"\nversion = "1"\ndependencies = ["tabulate==0.9.0"]\n';
    writeFileSync(join(directory, "pyproject.toml"), project);
    return "pyproject.toml";
  },
  "a virtual environment": (directory) => {
    const path = join(directory, "venv");
    execute("python3", "-m", "venv", path);
    execute(join(path, "bin", "pip"), "install", "--quiet", "tabulate==0.9.0");
    return path;
  },
};

function execute(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

describeWith("Python 3.10 with venv")("driver and executors have the packages of", {}, () => {
  const rows = ["3.5", "4.3"].flatMap((line) => Object.keys(environments).map((name) => ({ line, name })));
  test.for(rows)("$name, Spark $line", async ({ line, name }, context) => {
    requires(sparkOf(line))(context);
    const environment = environments[name]?.(cluster.directory) ?? "";
    const settings = ["--spark-version", line, "--conf", "spark.executor.instances=1"];
    const args = [...settings, "--python-env", environment, cluster.file("job.py", script)];
    const { exit, stdout, stderr } = await cluster.submit(...args);
    const module = "python-env/site-packages/tabulate/__init__.py";
    expect(stdout, stderr.slice(-2000)).toContain(`driver ${module}\n`);
    expect(stdout).toContain(`executor ${module}\n`);
    expect(stdout).toContain("pyspark of the image True");
    expect(exit).toBe(0);
  });
});
