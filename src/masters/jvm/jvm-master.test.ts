import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { appArgs, rejectedStart, sparkEnv, startInJvm } from "./test-jvm.ts";
import { sparkFiles } from "./test-launch.ts";

describe("a local driver", () => {
  test("runs in the JVM of JAVA_HOME, and returns its exit code", async () => {
    const { code, command, args, env, host } = await startInJvm(["--master", "local[2]", ...appArgs]);
    expect(code).toBe(3);
    expect(command).toBe("/java/bin/java");
    const expectedArgs = ["org.apache.spark.deploy.SparkSubmit", "--master", "local[2]", "--class", "X", "a.jar", "1"];
    expect(args.slice(-expectedArgs.length)).toEqual(expectedArgs);
    expect(env).toMatchObject({
      ...{ SPARK_HOME: "/spark", SPARK_CONF_DIR: "/spark/conf", SPARK_ENV_LOADED: "1", PYTHONHASHSEED: "0" },
    });
    expect(host.errorText()).toBe("");
  });

  test("is also used for standalone, YARN and Kubernetes masters in client mode", async () => {
    for (const master of ["spark://h:7077", "k8s://https://h:6443"]) {
      const { args } = await startInJvm(["--master", master, "--deploy-mode", "client", ...appArgs]);
      expect(args).toContain(master);
    }
    const env = { ...sparkEnv, HADOOP_CONF_DIR: "/h" };
    expect((await startInJvm(["--master", "yarn", ...appArgs], { env })).args).toContain("yarn");
  });

  test("takes the java of PATH without JAVA_HOME, else any on the machine, and passes it to its children", async () => {
    const onPath = await startInJvm(appArgs, {
      env: { SPARK_HOME: "/spark", PATH: "/bin:/usr/bin" },
      files: { ...sparkFiles, "/usr/bin/java": "" },
    });
    expect(onPath.command).toBe("java");
    const java = "/usr/lib/jvm/java-17";
    const files = { ...sparkFiles, [`${java}/bin/java`]: "", [`${java}/release`]: 'JAVA_VERSION="17.0.1"' };
    const found = await startInJvm(appArgs, { env: { SPARK_HOME: "/spark" }, files });
    expect(found).toMatchObject({ command: `${java}/bin/java`, env: { JAVA_HOME: java } });
    const strict = { SPARK_HOME: "/spark", FIRESTEEL_STRICT: "1" };
    for (const machine of [{ env: { SPARK_HOME: "/spark" } }, { env: strict, files }])
      expect((await rejectedStart(appArgs, machine)).issues).toEqual([
        "SUBMIT_ERR_JAVA_HOME_MISSING: JAVA_HOME is not set",
      ]);
  });

  test("runs with the pyspark of python3, or a cached Spark of the specified version", async () => {
    const sparkIn = (home: string, version: string) => ({
      [`${home}/bin/spark-submit`]: "",
      [`${home}/jars/spark-core_2.13-${version}.jar`]: "",
    });
    const pip = "/venv/lib/python3.12/site-packages/pyspark";
    const cache = "/home/tester/.cache/firesteel/spark/4.1.4";
    const files = { "/venv/bin/python3": "", ...sparkIn(pip, "4.2.1"), ...sparkIn(cache, "4.1.4") };
    const env = { JAVA_HOME: "/java", PATH: "/nowhere:/venv/bin" };
    expect((await startInJvm(appArgs, { env, files })).env["SPARK_HOME"]).toBe(pip);
    const versionEnv = { ...env, FIRESTEEL_SPARK_VERSION: "4.1" };
    expect((await startInJvm(appArgs, { env: versionEnv, files })).env["SPARK_HOME"]).toBe(cache);
  });

  test("is rejected without a Spark, with a hint, after Spark's own output", async () => {
    const none = { env: {}, files: {} };
    const { issues, error, host } = await rejectedStart(["--conf", "x=1", ...appArgs], none);
    expect(issues[0]).toMatch(/^SUBMIT_ERR_SPARK_NEEDED: A local driver \(local\[\*\] in client mode\)/);
    expect(isSubmitError(error) && error.issues[0].hint).toContain("firesteel spark install 4.3");
    expect(host.errorText()).toBe("Warning: Ignoring non-Spark config property: x\n");
    expect((await rejectedStart(["--driver-cores", "0", ...appArgs], none)).issues).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
    ]);
  });

  test("is rejected before a JVM starts, or by Spark itself with Spark's exact behavior", async () => {
    const argv = ["--driver-memory", "x", ...appArgs];
    const { issues, host } = await rejectedStart(argv);
    expect(issues).toEqual(["SUBMIT_ERR_NOT_POSITIVE: Driver memory must be a positive number"]);
    expect(host.children).toEqual([]);
    const strict = { ...sparkEnv, FIRESTEEL_STRICT: "1" };
    expect((await startInJvm(argv, { env: strict })).args).toContain("-Xmxx");
    const ofLauncher = await rejectedStart(["--driver-java-options", "-Xmx1g", ...appArgs], { env: strict });
    expect(ofLauncher.issues[0]).toMatch(/^SUBMIT_ERR_HEAP_OPTION/);
    const withoutOutput = await rejectedStart(["--conf", "x=1", "-v", "--driver-java-options", "-Xmx1g", ...appArgs], {
      env: strict,
    });
    expect(withoutOutput.host.errorText()).toBe("");
  });

  test("without a valid master is checked by the Spark of SPARK_HOME with Spark's exact behavior", async () => {
    const strict = { ...sparkEnv, FIRESTEEL_STRICT: "1" };
    for (const argv of [
      ["--master", "foo", "--driver-memory", "-1g"],
      ["--deploy-mode", "here"],
    ])
      expect((await startInJvm([...argv, ...appArgs], { env: strict })).args).toEqual(
        expect.arrayContaining(argv.slice(0, 2)),
      );
  });

  test("has the classes of a source tree first and prints a notice with SPARK_PREPEND_CLASSES", async () => {
    const { host, args } = await startInJvm(appArgs, { env: { ...sparkEnv, SPARK_PREPEND_CLASSES: "1" } });
    expect(args.join(" ")).toContain("/spark/core/target/scala-2.13/classes");
    expect(host.errorText()).toBe(
      "NOTE: SPARK_PREPEND_CLASSES is set, placing locally compiled Spark classes ahead of assembly.\n",
    );
  });

  test("gets the Scala version of its Spark, which a variable overrides only for 3.5", async () => {
    const scala = async (version: string, specified: string) => {
      const files = { "/spark/bin/spark-submit": "", [`/spark/jars/spark-core_2.12-${version}.jar`]: "" };
      const env = { ...sparkEnv, SPARK_SCALA_VERSION: specified };
      return (await startInJvm(appArgs, { env, files })).env["SPARK_SCALA_VERSION"];
    };
    expect([await scala("4.3.0", "2.11"), await scala("3.5.9", "2.11"), await scala("3.5.9", "")]).toEqual([
      ...["2.13", "2.11", "2.12"],
    ]);
  });

  test("reports missing jars in SPARK_HOME and a program that cannot be started", async () => {
    expect((await rejectedStart(appArgs, { files: {} })).issues[0]).toContain(
      "SUBMIT_ERR_SPARK_JARS: Failed to find Spark jars directory (/spark/assembly/target/scala-2.13/jars).",
    );
    expect((await rejectedStart(appArgs, { spawn: () => "missing" })).issues).toEqual([
      "SUBMIT_ERR_PROGRAM_START: Cannot start /java/bin/java: spawn /java/bin/java ENOENT",
    ]);
    const strict = { spawn: () => "missing" as const, env: { ...sparkEnv, FIRESTEEL_STRICT: "1" } };
    const { code, host } = await startInJvm(["sparkr-shell-main"], strict);
    expect([code, host.errorText()]).toEqual([127, "env: ‘R’: No such file or directory\n"]);
    const java = await startInJvm(appArgs, strict);
    expect([java.code, java.host.errorText()]).toEqual([1, "/java/bin/java: No such file or directory\n"]);
  });

  test("prints its command without secrets on request", async () => {
    const env = { ...sparkEnv, SPARK_PRINT_LAUNCH_COMMAND: "1" };
    const secrets = ["--driver-java-options", "-Dmy.password=p1 -Da=b", "--conf", "spark.my.secret=p2"];
    const text = (await startInJvm([...secrets, ...appArgs], { env })).host.errorText();
    expect(text).toMatch(/^Spark Command: \/java\/bin\/java -cp \/spark\/conf\/.*a\.jar 1\n={40}\n$/);
    expect(text).toContain("-Dmy.password=*********(redacted) -Da=b");
    expect(text).not.toMatch(/p1|p2/);
    const strict = await startInJvm([...secrets, ...appArgs], { env: { ...env, FIRESTEEL_STRICT: "1" } });
    expect(strict.host.errorText()).toContain(" --conf -Dmy.password=*********(redacted) --conf ");
    expect(strict.host.errorText()).not.toMatch(/p1|p2/);
  });
});
