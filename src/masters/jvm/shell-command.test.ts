import { describe, expect, test } from "vitest";
import { rejectedStart, sparkEnv, startInJvm } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

describe("a shell", () => {
  test("in Python starts Python, with Spark's arguments in its environment", async () => {
    const argv = ["pyspark-shell-main", "--name", "n", "--conf", 'spark.a=b "c"\\d'];
    const { command, args, env } = await startInJvm(argv, {
      env: { ...sparkEnv, PYSPARK_DRIVER_PYTHON: "jupyter", PYSPARK_DRIVER_PYTHON_OPTS: "lab '--port 1'" },
    });
    expect([command, ...args]).toEqual(["jupyter", "lab", "--port 1"]);
    expect(env["PYSPARK_SUBMIT_ARGS"]).toBe('"--conf" "spark.a=b \\"c\\"\\\\d" "--name" "n" "pyspark-shell"');
    expect(env["SPARK_API_MODE"]).toBe("classic");
  });

  test("in Python for Spark Connect gets the server only in the environment", async () => {
    const argv = ["pyspark-shell-main", "--remote", "sc://h", "--conf", "spark.pyspark.python=p"];
    const { command, env } = await startInJvm(argv);
    expect(command).toBe("p");
    expect(env).toMatchObject({
      ...{ SPARK_REMOTE: "sc://h", SPARK_CONNECT_MODE_ENABLED: "1", PYSPARK_PYTHON: "p" },
      PYSPARK_SUBMIT_ARGS: '"--conf" "spark.pyspark.python=p" "pyspark-shell"',
    });
    const files = { ...sparkFiles, "/spark/conf/spark-defaults.conf": "spark.pyspark.python q\n" };
    const fromFile = await startInJvm(["pyspark-shell-main"], { files });
    expect(fromFile.command).toBe("python3");
    expect(fromFile.env).not.toHaveProperty("PYSPARK_PYTHON");
    const written = "spark.remote sc://f\nspark.api.mode connect\n";
    const withoutOutput = await startInJvm(["pyspark-shell-main"], {
      files: { ...sparkFiles, "/spark/conf/spark-defaults.conf": written },
    });
    expect(withoutOutput.env).toMatchObject({ SPARK_API_MODE: "classic" });
    expect(withoutOutput.env).not.toHaveProperty("SPARK_REMOTE");
    const local = await startInJvm(["pyspark-shell-main", "--conf", "spark.api.mode=connect"]);
    expect(local.env).toMatchObject({ MASTER: "local", PYSPARK_SUBMIT_ARGS: '"pyspark-shell"' });
  });

  test("in Python gets a valid API mode as specified, and the driver's libraries", async () => {
    const mode = async (arg: string) =>
      (await startInJvm(["pyspark-shell-main", "--conf", `spark.api.mode=${arg}`])).env["SPARK_API_MODE"];
    expect([await mode("CONNECT"), await mode("other")]).toEqual(["CONNECT", "classic"]);
    const { env } = await startInJvm(["pyspark-shell-main", "--driver-library-path", "/l"]);
    expect(env["LD_LIBRARY_PATH"]).toBe("/l");
  });

  test("in Python starts despite invalid driver settings with Spark's exact behavior, except for the launcher's own errors", async () => {
    const strict = { ...sparkEnv, FIRESTEEL_STRICT: "1" };
    const left = [
      ...["yarn", "k8s://h", "local"].map((master) => ["--master", master, "--deploy-mode", "cluster"]),
      ...[
        ["--master", ""],
        ["--deploy-mode", "here"],
        ["--driver-memory", "-1"],
      ],
      ...["-Xmx1g", "'open"].map((options) => ["--driver-java-options", options]),
    ];
    for (const argv of left) {
      const { command, env } = await startInJvm(["pyspark-shell-main", ...argv], { env: strict });
      expect([command, env["PYSPARK_SUBMIT_ARGS"]]).toEqual(["python3", expect.stringContaining(`${argv[1]}"`)]);
    }
    const empty = await startInJvm(["pyspark-shell-main", "--remote", ""], { env: strict });
    expect(empty.env).not.toHaveProperty("SPARK_REMOTE");
    expect(
      (
        await rejectedStart(["pyspark-shell-main", "--remote", "sc://h", "--deploy-mode", "client"], {
          env: strict,
        })
      ).issues,
    ).toEqual(["SUBMIT_ERR_REMOTE_WITH_MASTER: Remote cannot be specified with master and/or deploy mode."]);
    expect(
      (await rejectedStart(["pyspark-shell-main"], { env: { ...sparkEnv, PYSPARK_DRIVER_PYTHON_OPTS: "'a" } })).issues,
    ).toEqual(["SUBMIT_ERR_OPTION_STRING: Invalid option string: 'a"]);
  });

  test("rejects an application", async () => {
    const codes = async (...argv: string[]) => (await rejectedStart(argv)).issues.map((text) => text.split(":")[0]);
    expect(await codes("pyspark-shell-main", "x", "a.py")).toEqual(["SUBMIT_ERR_PYSPARK_ARGS"]);
    expect(await codes("pyspark-shell-main", "a.py")).toEqual(["SUBMIT_ERR_PYSPARK_FILE"]);
    for (const script of ["x.R", "x.r"])
      expect(await codes("sparkr-shell-main", script)).toEqual(["SUBMIT_ERR_SPARKR_FILE"]);
    expect(await codes("pyspark-shell-main", "--properties-file", "/none", "x")).toEqual([
      ...["SUBMIT_ERR_PROPERTIES_FILE", "SUBMIT_ERR_PYSPARK_ARGS"],
    ]);
    expect((await startInJvm(["sparkr-shell-main", "--no-save", "x.R"])).command).toBe("R");
  });

  test("in R starts R", async () => {
    const { command, env } = await startInJvm(["sparkr-shell-main", "--master", "local"]);
    expect(command).toBe("R");
    expect(env).toMatchObject({
      SPARKR_SUBMIT_ARGS: '"--master" "local" "sparkr-shell"',
      R_PROFILE_USER: "/spark/R/lib/SparkR/profile/shell.R",
    });
  });

  test("in Scala for Spark Connect has a separate class", async () => {
    const argv = ["--class", "org.apache.spark.repl.Main", "--remote", "sc://h"];
    const { args } = await startInJvm(argv, { env: { ...sparkEnv, SPARK_SCALA_SHELL: "1" } });
    expect(args.slice(-4)).toEqual(
      [...["--remote", "sc://h", "--class", "org.apache.spark.sql.application.ConnectRepl"], "connect-shell"].slice(-4),
    );
    const unnamed = await startInJvm(["--remote", "sc://h", "a.py"], {
      env: { ...sparkEnv, SPARK_SCALA_SHELL: "1" },
    });
    expect(unnamed.args.slice(-3)).toEqual(["--remote", "sc://h", "connect-shell"]);
    const classic = await startInJvm(argv, { env: { ...sparkEnv } });
    expect(classic.args.at(-1)).toBe("spark-shell");
  });
});
