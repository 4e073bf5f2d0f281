import { describe, expect, test } from "vitest";
import type { ChildScript } from "../../host/test-children.ts";
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

  test("the usage text is that of the emulated Spark line", async () => {
    expect((await run(["--help"])).error).toContain("--load-spark-defaults");
    expect((await run(["--help", "--spark-version", "3.5"])).error).not.toContain("--load-spark-defaults");
    expect((await run(["--help"], { FIRESTEEL_SPARK_VERSION: "3.5.9" })).error).toContain("Mesos");
  });

  test("the version is the specified one, else that of SPARK_HOME", async () => {
    const spark = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.1.2.jar": "" };
    expect((await run(["--version"])).error).toContain("version 4.3.0\n");
    expect((await run(["--version"], { SPARK_HOME: "/spark" }, spark)).error).toContain("version 4.1.2\n");
    expect((await run(["--version", "-c", "spark.firesteel.sparkVersion=3.5"])).error).toContain("version 3.5.9\n");
  });
});

const spark = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.3.0.jar": "" };

test.each([
  ["", "(spark.a,b\\u000d)"],
  ["1", "(spark.a,b\r)"],
])("--verbose prints a carriage return of a setting with FIRESTEEL_STRICT=%j as %j", async (strict, shown) => {
  const target = ["--master", "k8s://https://h", "--deploy-mode", "cluster", "--class", "M"];
  const argv = ["--verbose", "--properties-file", "/p.conf", ...target, "local:///a.jar"];
  const { error } = await run(argv, { FIRESTEEL_STRICT: strict }, { "/p.conf": "spark.a=b\\r\n" });
  expect(error).toContain(shown);
});

describe("options of Spark's SQL shell", () => {
  const sqlShell = ["--class", "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"];
  const runShell = async (argv: readonly string[], strict: string) => {
    const env = { SPARK_HOME: "/spark", JAVA_HOME: "/java", FIRESTEEL_STRICT: strict };
    const spawn: ChildScript = (child) => child.exit(child.args.includes("--help") ? 0 : 1);
    const host = testHost({ argv, env, files: spark, spawn });
    const exitCode = await runSparkSubmit(host);
    return { exitCode, error: host.errorText(), args: host.children[0]?.args.slice(-4) };
  };

  test("are printed by the local Spark in strict mode", async () => {
    const shellArgs = (name: string) => [...sqlShell, name, "spark-internal"];
    expect(await runShell([...sqlShell, "--conf", "spark.a=1", "--help"], "1")).toEqual({
      exitCode: 0,
      error: "",
      args: shellArgs("--help"),
    });
    const wrong = await runShell([...sqlShell, "--conf", "x"], "1");
    expect(wrong).toEqual({
      ...{ exitCode: 1, error: "Error: Invalid argument to --conf: x\n\n", args: shellArgs("--usage-error") },
    });
    const later = await runShell(["--name", "n", ...sqlShell, "--conf", "x"], "1");
    expect(later.args).toBeUndefined();
    expect(later.error).toContain("\nUsage: ");
  });

  test("are printed by Firesteel without Java", async () => {
    const env = { SPARK_HOME: "/spark", FIRESTEEL_STRICT: "1" };
    expect((await run([...sqlShell, "--help"], env, spark)).error).toContain("Usage: ");
  });

  test("start no JVM outside of strict mode", async () => {
    const { args, error } = await runShell([...sqlShell, "--help"], "");
    expect(args).toBeUndefined();
    expect(error).toContain("Usage: ");
  });
});

describe("an invalid command line", () => {
  test("prints all problems, each with its hint", async () => {
    const { exitCode, error } = await run(["--executor-memroy", "--conf", "x", "app.jar"]);
    expect(exitCode).toBe(1);
    expect(error.split("\n")).toEqual([
      "Error: Unrecognized option: --executor-memroy",
      "Hint: Did you mean --executor-memory? Run with --help to list all options.",
      "Error: Invalid argument to --conf: x",
      "Hint: Write --conf KEY=VALUE.",
      "",
    ]);
  });

  test("prints the usage text instead of hints in strict mode", async () => {
    const { error } = await run(["--conf", "x", "app.jar"], { FIRESTEEL_STRICT: "1" });
    expect(error).toMatch(/^Error: Invalid argument to --conf: x\n\nUsage: /);
  });

  test("with a script for a shell prints one sentence in strict mode", async () => {
    const { exitCode, error } = await run(["pyspark-shell-main", "a.py"], { FIRESTEEL_STRICT: "1" });
    expect(exitCode).toBe(1);
    expect(error).toBe(
      "Running python applications through 'pyspark' is not supported as of Spark 2.0.\nUse ./bin/spark-submit <python file>\n",
    );
  });

  test("with wrong files or variables prints no usage text in strict mode", async () => {
    const env = { SPARK_HOME: "/spark", FIRESTEEL_STRICT: "1" };
    const conf = "/spark/conf/spark-defaults.conf";
    const text = async (more: Readonly<Record<string, string>>, files: Readonly<Record<string, string>>) =>
      (await run(["--conf", "x", "a.jar"], { ...env, ...more }, { ...spark, ...files })).error;
    const again =
      'Error: Invalid argument to --conf: x\n\nException in thread "main" java.lang.IllegalArgumentException: ';
    expect(await text({}, { [conf]: "spark.a \\u12\n" })).toBe(`${again}Malformed \\uxxxx encoding.\n`);
    expect(await text({ SPARK_SUBMIT_OPTS: "'a" }, {})).toBe(`${again}Invalid option string: 'a\n`);
    expect(await text({}, { [conf]: "spark.driver.extraJavaOptions -Xmx1g\n" })).toContain(
      `${again}Not allowed to specify max heap(Xmx)`,
    );
    expect(await text({}, { [conf]: "spark.driver.memory x\n" })).toContain("\n\nUsage: ");
  });

  test("without an application prints problems of files and options first in strict mode", async () => {
    const lines = async (...argv: string[]) => (await run(argv, { FIRESTEEL_STRICT: "1" })).error.split("\n");
    expect((await lines("--properties-file", "/none"))[0]).toBe("Error: Invalid properties file '/none'.");
    expect((await lines("run-example", "--driver-java-options", "'a"))[0]).toBe("Error: Invalid option string: 'a");
  });

  test("prints no problems that only Spark itself checks in strict mode", async () => {
    const argv = ["--properties-file", "/none", "--driver-memory", "x", "--class", "X", "a.jar"];
    const { error } = await run(argv, { FIRESTEEL_STRICT: "1" });
    expect(error).toMatch(/^Error: Invalid properties file '\/none'\.\n\nUsage: /);
  });

  test("is rejected before usage and version in strict mode", async () => {
    for (const option of ["--help", "--version", "--kill=x"]) {
      const argv = ["--properties-file", "/none", option];
      const { exitCode, error } = await run(argv, { FIRESTEEL_STRICT: "1" });
      expect([exitCode, error]).toEqual([
        1,
        expect.stringMatching(/^Error: Invalid properties file '\/none'\.\n\nUsage: /),
      ]);
    }
    expect((await run(["--properties-file", "/none", "--help"])).exitCode).toBe(0);
  });

  test("prints an invalid deploy mode together with an invalid master", async () => {
    const { error } = await run(["--deploy-mode", "foo", "--master", "bar", "app.jar"]);
    expect(error.split("\n").filter((line) => line.startsWith("Error: "))).toEqual([
      expect.stringContaining('--deploy-mode must be either "client" or "cluster"'),
      expect.stringContaining("Master must either be yarn or start with"),
    ]);
  });

  test("is parsed by the grammar of the Spark line", async () => {
    const argv = ["--load-spark-defaults", "app.jar"];
    expect((await run(argv, { FIRESTEEL_SPARK_VERSION: "3.5" })).error).toContain(
      "Error: Unrecognized option: --load-spark-defaults\n",
    );
    expect((await run(argv)).error).not.toContain("Unrecognized");
  });

  test("with an invalid value prints the error and a hint", async () => {
    const { exitCode, error } = await run(["--driver-memory", "1.5g", "--class", "X", "app.jar"]);
    expect(exitCode).toBe(1);
    expect(error.split("\n")[0]).toBe("Error: Driver memory must be a positive number");
    expect(error).toContain('\nHint: Change spark.driver.memory from "1.5g" to an amount such as 512m or 2g.\n');
  });

  test("prints all problems of values, labels, volumes and the image together", async () => {
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

describe("an unsupported call", () => {
  test.each([
    [["--kill", "a"], "No external SparkSubmitOperations clients found for master url: 'local[*]'"],
    [["--class", "X", "app.jar"], "A local driver (local[*] in client mode) requires a Spark"],
  ])("%j prints an alternative", async (argv, text) => {
    const { exitCode, error } = await run(argv);
    expect(exitCode).toBe(1);
    expect(error).toContain(text);
  });

  test("a class that cannot be loaded has Spark's message and exit code", async () => {
    const argv = ["--master", "sparkx", "--deploy-mode", "cluster", "--class", "X", "a.jar"];
    expect(await run(argv)).toMatchObject({ exitCode: 101, error: "Error: Failed to load class .\n" });
  });
});

test("an error for a proxy user is wrapped as by Spark in strict mode", async () => {
  const argv = ["--proxy-user", "u", "--master", "k8s://https://h", "--deploy-mode", "cluster", "local:///a.py"];
  const { error } = await run(argv, { FIRESTEEL_STRICT: "1" });
  expect(error).toBe(
    'Exception in thread "main" java.lang.reflect.UndeclaredThrowableException\nCaused by: org.apache.spark.SparkException: Must specify the driver container image\n',
  );
});
