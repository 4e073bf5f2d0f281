import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { startPipelines } from "./pipelines.ts";
import { sparkEnv } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

describe("spark-pipelines", () => {
  const machine = (files: Readonly<Record<string, string>>) =>
    testHost({
      argv: ["run", "--spec", "s.yml\r"],
      env: sparkEnv,
      files,
      spawn(child) {
        if (child.args[0] === "-c") child.write(1, "/spark/python/pyspark/pipelines/cli.py\n");
        child.exit(0);
      },
    });

  test("in Scala is a Spark class that gets the path of its script", async () => {
    const host = machine(sparkFiles);
    expect(await startPipelines(host)).toBe(0);
    const [question, java] = host.children;
    expect(question?.command).toBe("python3");
    expect(java?.args.slice(-5)).toEqual([
      ...["org.apache.spark.deploy.SparkPipelines", "/spark/python/pyspark/pipelines/cli.py"],
      ...["run", "--spec", "s.yml"],
    ]);
    expect(java?.options.env?.["PYTHONPATH"]).toBe("/spark/python/lib/py4j-0.10.9.9-src.zip:/spark/python/:");
  });

  test("is rejected with a Spark before 4.1, and without Spark", async () => {
    const old = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.0.5.jar": "" };
    await expect(startPipelines(machine(old))).rejects.toMatchObject({ code: "SUBMIT_ERR_SPARK_TOO_OLD" });
    await expect(startPipelines(testHost())).rejects.toMatchObject({ code: "SUBMIT_ERR_SPARK_NEEDED" });
  });
});
