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

const spark = { "/spark/bin/spark-submit": "", "/spark/jars/spark-core_2.13-4.3.0.jar": "" };

describe("options of Spark's SQL shell", () => {
  const sqlShell = ["--class", "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"];
  const ask = async (argv: readonly string[], strict: string) => {
    const env = { SPARK_HOME: "/spark", JAVA_HOME: "/java", FIRESTEEL_STRICT: strict };
    const spawn: ChildScript = (child) => child.exit(child.args.includes("--help") ? 0 : 1);
    const host = testHost({ argv, env, files: spark, spawn });
    const exitCode = await runSparkSubmit(host);
    return { exitCode, error: host.errorText(), words: host.children[0]?.args.slice(-4) };
  };

  test("are told by the Spark that is here, where exactly its behaviour is asked for", async () => {
    const word = (name: string) => [...sqlShell, name, "spark-internal"];
    expect(await ask([...sqlShell, "--conf", "spark.a=1", "--help"], "1")).toEqual({
      exitCode: 0,
      error: "",
      words: word("--help"),
    });
    const wrong = await ask([...sqlShell, "--conf", "x"], "1");
    expect(wrong).toEqual({
      ...{ exitCode: 1, error: "Error: Invalid argument to --conf: x\n\n", words: word("--usage-error") },
    });
    const later = await ask(["--name", "n", ...sqlShell, "--conf", "x"], "1");
    expect(later.words).toBeUndefined();
    expect(later.error).toContain("\nUsage: ");
  });

  test("are ours to tell where there is no Java", async () => {
    const env = { SPARK_HOME: "/spark", FIRESTEEL_STRICT: "1" };
    expect((await run([...sqlShell, "--help"], env, spark)).error).toContain("Usage: ");
  });

  test("start no JVM otherwise", async () => {
    const { words, error } = await ask([...sqlShell, "--help"], "");
    expect(words).toBeUndefined();
    expect(error).toContain("Usage: ");
  });
});

describe("a command line that is wrong", () => {
  test("gets all problems and what to do, the last thing on the screen", async () => {
    const { exitCode, error } = await run(["--executor-memroy", "--conf", "x", "app.jar"]);
    expect(exitCode).toBe(1);
    expect(error.split("\n")).toEqual([
      "Error: Unrecognized option: --executor-memroy",
      "Error: Invalid argument to --conf: x",
      "Hint: Did you mean --executor-memory? Run with --help to list all options.",
      "Hint: Write --conf KEY=VALUE.",
      "",
    ]);
  });

  test("gets no hints, but the usage text, when exactly Spark's behaviour is asked for", async () => {
    const { error } = await run(["--conf", "x", "app.jar"], { FIRESTEEL_STRICT: "1" });
    expect(error).toMatch(/^Error: Invalid argument to --conf: x\n\nUsage: /);
  });

  test("that gives a shell a script is told in one sentence where exactly Spark's behaviour is asked for", async () => {
    const { exitCode, error } = await run(["pyspark-shell-main", "a.py"], { FIRESTEEL_STRICT: "1" });
    expect(exitCode).toBe(1);
    expect(error).toBe(
      "Running python applications through 'pyspark' is not supported as of Spark 2.0.\nUse ./bin/spark-submit <python file>\n",
    );
  });

  test("where files or variables are wrong, too, gets no usage text, exactly as Spark", async () => {
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

  test("without an application is told what is wrong with its files and options first, exactly as Spark", async () => {
    const lines = async (...argv: string[]) => (await run(argv, { FIRESTEEL_STRICT: "1" })).error.split("\n");
    expect(await lines("--properties-file", "/none")).toEqual(
      expect.arrayContaining([
        "Error: Invalid properties file '/none'.",
        "Error: Missing application resource.",
      ]),
    );
    expect((await lines("run-example", "--driver-java-options", "'a"))[0]).toBe(
      "Error: Invalid option string: 'a",
    );
  });

  test("is told without what only Spark itself would look at, exactly as Spark", async () => {
    const argv = ["--properties-file", "/none", "--driver-memory", "x", "--class", "X", "a.jar"];
    const { error } = await run(argv, { FIRESTEEL_STRICT: "1" });
    expect(error).toMatch(/^Error: Invalid properties file '\/none'\.\n\nUsage: /);
  });

  test("is refused before usage and version are told, exactly as Spark", async () => {
    for (const word of ["--help", "--version", "--kill=x"]) {
      const argv = ["--properties-file", "/none", word];
      const { exitCode, error } = await run(argv, { FIRESTEEL_STRICT: "1" });
      expect([exitCode, error]).toEqual([
        1,
        expect.stringMatching(/^Error: Invalid properties file '\/none'\.\n\nUsage: /),
      ]);
    }
    expect((await run(["--properties-file", "/none", "--help"])).exitCode).toBe(0);
  });

  test("has a deploy mode that there is not told beside the master", async () => {
    const { error } = await run(["--deploy-mode", "foo", "--master", "bar", "app.jar"]);
    expect(error.split("\n").slice(0, 2)).toEqual([
      expect.stringContaining('--deploy-mode must be either "client" or "cluster"'),
      expect.stringContaining("Master must either be yarn or start with"),
    ]);
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
    expect(error).toContain(
      '\nHint: Change spark.driver.memory from "1.5g" to an amount such as 512m or 2g.\n',
    );
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
    [["--class", "X", "app.jar"], "A driver that runs here (local[*] in client mode) requires a Spark"],
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
