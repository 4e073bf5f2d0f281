import { describe, expect, test } from "vitest";
import { rejectedStart, sparkEnv, startInJvm } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

describe("an example", () => {
  const jars = {
    "/spark/examples/jars/scopt.jar": "",
    "/spark/examples/jars/spark-examples_2.13-4.3.0.jar": "",
  };

  test("uses a jar of the distribution, and adds all example jars", async () => {
    const { args } = await startInJvm(["run-example", "SparkPi", "7"], { files: { ...sparkFiles, ...jars } });
    expect(args.slice(-6)).toEqual([
      ...["--jars", "/spark/examples/jars/scopt.jar,/spark/examples/jars/spark-examples_2.13-4.3.0.jar"],
      ...["--class", "org.apache.spark.examples.SparkPi"],
      ...["/spark/examples/jars/spark-examples_2.13-4.3.0.jar", "7"],
    ]);
  });

  test("is a shell if its class is a shell's", async () => {
    const argv = ["run-example", "--class", "org.apache.spark.repl.Main", "SparkPi"];
    const { args } = await startInJvm(argv, { files: { ...sparkFiles, ...jars } });
    expect(args.slice(-2)).toEqual(["spark-shell", "SparkPi"]);
  });

  test("has its jars in the order of the directory, as Java lists it", async () => {
    const files = {
      ...sparkFiles,
      "/spark/examples/jars/spark-examples.jar": "",
      "/spark/examples/jars/a.jar": "",
    };
    const { args } = await startInJvm(["run-example", "SparkPi"], { files });
    expect(args[args.indexOf("--jars") + 1]).toBe("/spark/examples/jars/spark-examples.jar,/spark/examples/jars/a.jar");
  });

  test("is rejected without its jar; with Spark's exact behavior, only a distribution with a RELEASE file has jars", async () => {
    expect((await rejectedStart(["run-example", "SparkPi"])).issues).toEqual([
      "SUBMIT_ERR_EXAMPLES: Examples jars directory '/spark/examples/target/scala-2.13/jars' does not exist.",
    ]);
    const strict = { env: { ...sparkEnv, FIRESTEEL_STRICT: "1" }, files: { ...sparkFiles, ...jars } };
    expect((await rejectedStart(["run-example", "SparkPi"], strict)).issues[0]).toContain("target/scala-2.13/jars");
    const files = { ...sparkFiles, "/spark/RELEASE": "", "/spark/examples/jars/other.jar": "" };
    expect((await rejectedStart(["run-example", "SparkPi"], { files })).issues).toEqual([
      "SUBMIT_ERR_EXAMPLES: Failed to find examples' main app jar.",
    ]);
  });
});
