import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { runSparkSubmit } from "./submit.ts";

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}, files = {}) {
  const host = testHost({ argv, env, files, cwd: "/w" });
  const exitCode = await runSparkSubmit(host);
  return { exitCode, out: host.outText(), error: host.errorText() };
}

describe("usage and version", () => {
  test.each([
    [[], 255],
    [["--help"], 0],
    [["--usage-error"], 1],
  ])("%j shows the usage text on stderr, exit code %i", async (argv, code) => {
    const { exitCode, out, error } = await run(argv);
    expect([exitCode, out, error.split("\n")[0]]).toEqual([
      code,
      "",
      "Usage: spark-submit [options] <app jar | python file | R file> [app arguments]",
    ]);
  });

  test("the usage text is that of the line that is spoken", async () => {
    expect((await run(["--help"])).error).toContain("--load-spark-defaults");
    expect((await run(["--help", "--spark-version", "3.5"])).error).not.toContain("--load-spark-defaults");
    expect((await run(["--help"], { FIRESTEEL_SPARK_VERSION: "3.5.9" })).error).toContain("Mesos");
  });

  test("the version is the one that is told, else that of SPARK_HOME", async () => {
    const spark = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.1.2.jar": "" };
    expect((await run(["--version"])).error).toContain("version 4.3.0\n");
    expect((await run(["--version"], { SPARK_HOME: "/spark" }, spark)).error).toContain("version 4.1.2\n");
    expect((await run(["--version", "-c", "spark.firesteel.sparkVersion=3.5"])).error).toContain(
      "version 3.5.9\n",
    );
  });
});

describe("a command line that is wrong", () => {
  test("gets all problems and what to do, the last thing on the screen", async () => {
    const { exitCode, error } = await run(["--executor-memroy", "--conf", "x", "app.jar"]);
    expect(exitCode).toBe(1);
    expect(error.split("\n")).toEqual([
      "Error: Unrecognized option: --executor-memroy",
      "Error: Invalid argument to --conf: x",
      "Hint: Did you mean --executor-memory? --help shows all options.",
      "Hint: A setting is written --conf KEY=VALUE.",
      "",
    ]);
  });

  test("gets no hints, but the usage text, when exactly Spark's behaviour is asked for", async () => {
    const { error } = await run(["--conf", "x", "app.jar"], { FIRESTEEL_STRICT: "1" });
    expect(error).toMatch(/^Error: Invalid argument to --conf: x\n\nUsage: /);
  });

  test("is read by the grammar of the line", async () => {
    const argv = ["--load-spark-defaults", "app.jar"];
    expect((await run(argv, { FIRESTEEL_SPARK_VERSION: "3.5" })).error).toContain(
      "Error: Unrecognized option: --load-spark-defaults\n",
    );
    expect((await run(argv)).error).not.toContain("Unrecognized");
  });

  test("with a bad value is told like an exception of Spark, with a hint", async () => {
    const { exitCode, error } = await run(["--driver-memory", "1.5g", "--class", "X", "app.jar"]);
    expect(exitCode).toBe(1);
    expect(error.split("\n")[0]).toBe(
      'Exception in thread "main" org.apache.spark.SparkException: Driver memory must be a positive number',
    );
    expect(error).toContain('\nHint: spark.driver.memory is "1.5g"; write an amount such as 512m or 2g.\n');
  });

  test("is told of all that is wrong with it at once, in values, labels, volumes and the image", async () => {
    const conf = [
      ...["--conf", "spark.driver.cores=none"],
      ...["--conf", "spark.kubernetes.driver.label.spark-role=x"],
      ...["--conf", "spark.kubernetes.driver.volumes.tape.t.mount.path=/t"],
    ];
    const master = ["--master", "k8s://h", "--deploy-mode", "cluster"];
    const { exitCode, error } = await run([...master, ...conf, "local:///app.jar"]);
    expect(exitCode).toBe(1);
    for (const text of [
      "Driver cores must be a positive number",
      "Failed to get main class in JAR",
      "Label with key spark-role is not allowed",
      "Kubernetes Volume type `tape` is not supported",
      "Must specify the driver container image",
    ])
      expect(error).toContain(text);
  });
});

describe("what is not served", () => {
  test.each([
    [["--kill", "a"], "No external SparkSubmitOperations clients found for master url: 'local[*]'"],
    [["--class", "X", "app.jar"], "A driver that runs here (local[*] in client mode) takes a Spark"],
  ])("%j says what to do instead", async (argv, text) => {
    const { exitCode, error } = await run(argv);
    expect(exitCode).toBe(1);
    expect(error).toContain(text);
  });

  test("a class loader's failure has Spark's form and exit code", async () => {
    const argv = ["--master", "sparkx", "--deploy-mode", "cluster", "--class", "X", "a.jar"];
    expect(await run(argv)).toMatchObject({ exitCode: 101, error: "Error: Failed to load class .\n" });
  });
});

test("Spark wraps what fails for a proxy user, and so do we when asked to be exact", async () => {
  const argv = [
    "--proxy-user",
    "u",
    "--master",
    "k8s://https://h",
    "--deploy-mode",
    "cluster",
    "local:///a.py",
  ];
  const { error } = await run(argv, { FIRESTEEL_STRICT: "1" });
  expect(error).toBe(
    'Exception in thread "main" java.lang.reflect.UndeclaredThrowableException\nCaused by: org.apache.spark.SparkException: Must specify the driver container image\n',
  );
});
