import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../command-line/parse.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import { sparkLog } from "../../host/log.ts";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import { type ResolvedSubmission, resolveSubmission } from "../../resolve/resolve-submission.ts";
import { runInJvm } from "./jvm-master.ts";
import { startPipelines } from "./pipelines.ts";
import { sparkFiles } from "./test-launch.ts";

const spark = { SPARK_HOME: "/spark", JAVA_HOME: "/java" };

/** Status of an embedded cluster. */
function embeddedCluster(sparkVersion: string | undefined) {
  const url = "https://127.90.0.1:6443";
  const image = `spark:${sparkVersion}`;
  return {
    ...{ url, driverMaster: url, certificateAuthority: "-----BEGIN", token: "the-token" },
    defaults: { image, serviceAccountName: "spark", uploadPath: "/uploads" },
  };
}

function resolved(
  argv: readonly string[],
  options: TestHostOptions,
): { submission: ResolvedSubmission; host: TestHost } {
  const parsed = parseCommandLine(argv, "4.3");
  if (!parsed.ok || parsed.value.action !== "submit") throw new Error("no submission");
  const host = testHost({ spawn: (child) => child.exit(3), ...options });
  const submission = resolveSubmission({ host, log: sparkLog(host), invocation: parsed.value });
  return { submission, host };
}

const openEmbedded = async (options: { sparkVersion: string | undefined }) => embeddedCluster(options.sparkVersion);

async function started(argv: readonly string[], options: TestHostOptions = {}) {
  const machine = { env: spark, files: sparkFiles, ...options };
  const { submission, host } = resolved(argv, machine);
  const code = await runInJvm(submission, { openEmbedded });
  const [child] = host.children;
  if (child === undefined) throw new Error("nothing was started");
  return { code, host, command: child.command, args: child.args, env: child.options.env ?? {} };
}

async function rejected(argv: readonly string[], options: TestHostOptions = {}) {
  const { submission, host } = resolved(argv, { env: spark, files: sparkFiles, ...options });
  const error: unknown = await runInJvm(submission, { openEmbedded }).catch((reason: unknown) => reason);
  const issues = isSubmitError(error) ? error.issues.map(({ code, message }) => `${code}: ${message}`) : [];
  return { issues, error, host };
}

const app = ["--class", "X", "a.jar", "1"];

describe("a local driver", () => {
  test("runs in the JVM of JAVA_HOME, and returns its exit code", async () => {
    const { code, command, args, env, host } = await started(["--master", "local[2]", ...app]);
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
      const { args } = await started(["--master", master, "--deploy-mode", "client", ...app]);
      expect(args).toContain(master);
    }
    const env = { ...spark, HADOOP_CONF_DIR: "/h" };
    expect((await started(["--master", "yarn", ...app], { env })).args).toContain("yarn");
  });

  test("takes the java of PATH without JAVA_HOME, else any on the machine, and passes it to its children", async () => {
    const onPath = await started(app, {
      env: { SPARK_HOME: "/spark", PATH: "/bin:/usr/bin" },
      files: { ...sparkFiles, "/usr/bin/java": "" },
    });
    expect(onPath.command).toBe("java");
    const java = "/usr/lib/jvm/java-17";
    const files = { ...sparkFiles, [`${java}/bin/java`]: "", [`${java}/release`]: 'JAVA_VERSION="17.0.1"' };
    const found = await started(app, { env: { SPARK_HOME: "/spark" }, files });
    expect(found).toMatchObject({ command: `${java}/bin/java`, env: { JAVA_HOME: java } });
    const strict = { SPARK_HOME: "/spark", FIRESTEEL_STRICT: "1" };
    for (const machine of [{ env: { SPARK_HOME: "/spark" } }, { env: strict, files }])
      expect((await rejected(app, machine)).issues).toEqual(["SUBMIT_ERR_JAVA_HOME_MISSING: JAVA_HOME is not set"]);
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
    expect((await started(app, { env, files })).env["SPARK_HOME"]).toBe(pip);
    const versionEnv = { ...env, FIRESTEEL_SPARK_VERSION: "4.1" };
    expect((await started(app, { env: versionEnv, files })).env["SPARK_HOME"]).toBe(cache);
  });

  test("is rejected without a Spark, with a hint, after Spark's own output", async () => {
    const none = { env: {}, files: {} };
    const { issues, error, host } = await rejected(["--conf", "x=1", ...app], none);
    expect(issues[0]).toMatch(/^SUBMIT_ERR_SPARK_NEEDED: A local driver \(local\[\*\] in client mode\)/);
    expect(isSubmitError(error) && error.issues[0].hint).toContain("firesteel spark install 4.3");
    expect(host.errorText()).toBe("Warning: Ignoring non-Spark config property: x\n");
    expect((await rejected(["--driver-cores", "0", ...app], none)).issues).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
    ]);
  });

  test("is rejected before a JVM starts, or by Spark itself with Spark's exact behavior", async () => {
    const argv = ["--driver-memory", "x", ...app];
    const { issues, host } = await rejected(argv);
    expect(issues).toEqual(["SUBMIT_ERR_NOT_POSITIVE: Driver memory must be a positive number"]);
    expect(host.children).toEqual([]);
    const strict = { ...spark, FIRESTEEL_STRICT: "1" };
    expect((await started(argv, { env: strict })).args).toContain("-Xmxx");
    const ofLauncher = await rejected(["--driver-java-options", "-Xmx1g", ...app], { env: strict });
    expect(ofLauncher.issues[0]).toMatch(/^SUBMIT_ERR_HEAP_OPTION/);
    const withoutOutput = await rejected(["--conf", "x=1", "-v", "--driver-java-options", "-Xmx1g", ...app], {
      env: strict,
    });
    expect(withoutOutput.host.errorText()).toBe("");
  });

  test("without a valid master is checked by the Spark of SPARK_HOME with Spark's exact behavior", async () => {
    const strict = { ...spark, FIRESTEEL_STRICT: "1" };
    for (const argv of [
      ["--master", "foo", "--driver-memory", "-1g"],
      ["--deploy-mode", "here"],
    ])
      expect((await started([...argv, ...app], { env: strict })).args).toEqual(
        expect.arrayContaining(argv.slice(0, 2)),
      );
  });

  test("has the classes of a source tree first and prints a notice with SPARK_PREPEND_CLASSES", async () => {
    const { host, args } = await started(app, { env: { ...spark, SPARK_PREPEND_CLASSES: "1" } });
    expect(args.join(" ")).toContain("/spark/core/target/scala-2.13/classes");
    expect(host.errorText()).toBe(
      "NOTE: SPARK_PREPEND_CLASSES is set, placing locally compiled Spark classes ahead of assembly.\n",
    );
  });

  test("gets the Scala version of its Spark, which a variable overrides only for 3.5", async () => {
    const scala = async (version: string, specified: string) => {
      const files = { "/spark/bin/spark-submit": "", [`/spark/jars/spark-core_2.12-${version}.jar`]: "" };
      const env = { ...spark, SPARK_SCALA_VERSION: specified };
      return (await started(app, { env, files })).env["SPARK_SCALA_VERSION"];
    };
    expect([await scala("4.3.0", "2.11"), await scala("3.5.9", "2.11"), await scala("3.5.9", "")]).toEqual([
      ...["2.13", "2.11", "2.12"],
    ]);
  });

  test("reports missing jars in SPARK_HOME and a program that cannot be started", async () => {
    expect((await rejected(app, { files: {} })).issues[0]).toContain(
      "SUBMIT_ERR_SPARK_JARS: Failed to find Spark jars directory (/spark/assembly/target/scala-2.13/jars).",
    );
    expect((await rejected(app, { spawn: () => "missing" })).issues).toEqual([
      "SUBMIT_ERR_PROGRAM_START: Cannot start /java/bin/java: spawn /java/bin/java ENOENT",
    ]);
    const strict = { spawn: () => "missing" as const, env: { ...spark, FIRESTEEL_STRICT: "1" } };
    const { code, host } = await started(["sparkr-shell-main"], strict);
    expect([code, host.errorText()]).toEqual([127, "env: ‘R’: No such file or directory\n"]);
    const java = await started(app, strict);
    expect([java.code, java.host.errorText()]).toEqual([1, "/java/bin/java: No such file or directory\n"]);
  });

  test("prints its command without secrets on request", async () => {
    const env = { ...spark, SPARK_PRINT_LAUNCH_COMMAND: "1" };
    const secrets = ["--driver-java-options", "-Dmy.password=p1 -Da=b", "--conf", "spark.my.secret=p2"];
    const text = (await started([...secrets, ...app], { env })).host.errorText();
    expect(text).toMatch(/^Spark Command: \/java\/bin\/java -cp \/spark\/conf\/.*a\.jar 1\n={40}\n$/);
    expect(text).toContain("-Dmy.password=*********(redacted) -Da=b");
    expect(text).not.toMatch(/p1|p2/);
    const strict = await started([...secrets, ...app], { env: { ...env, FIRESTEEL_STRICT: "1" } });
    expect(strict.host.errorText()).toContain(" --conf -Dmy.password=*********(redacted) --conf ");
    expect(strict.host.errorText()).not.toMatch(/p1|p2/);
  });
});

describe("a local driver with executors in pods", () => {
  const k8s = (master: string) => ["--master", master, ...app];

  test("gets warnings about unreachable executors, except when Spark's exact behavior is requested", async () => {
    const text = (await started(k8s("k8s://https://h:6443"))).host.errorText();
    expect(text).toMatch(/ WARN SparkSubmit: Spark chooses the address of this driver/);
    const strict = { ...spark, FIRESTEEL_STRICT: "1" };
    expect((await started(k8s("k8s://https://h:6443"), { env: strict })).host.errorText()).toBe("");
    const inPod = { ...spark, KUBERNETES_SERVICE_HOST: "10.0.0.1", HOSTNAME: "notebook-0" };
    const specified = (await started(k8s("k8s://https://h:6443"), { env: inPod })).host.errorText();
    expect(specified).toContain("Set it to notebook-0.");
  });

  test("gets warnings about an unusable configured address or ports", async () => {
    const argv = ["--conf", "spark.driver.host=198.51.100.4", "--conf", "spark.driver.port=7078"];
    const errorTextFor = async (faults: (address: string, port: number) => string | undefined) => {
      const network = { tryListening: async (...of: [string, number]) => faults(...of) };
      return (await started([...argv, ...k8s("k8s://https://h:6443")], { network })).host.errorText();
    };
    expect(await errorTextFor(() => undefined)).not.toContain("198.51.100.4");
    expect(await errorTextFor(() => "EADDRNOTAVAIL")).toContain("Spark cannot listen there.");
    expect(await errorTextFor((_, port) => (port === 7078 ? "EADDRINUSE" : undefined))).toContain(
      "spark.driver.port is 7078, but another program listens there",
    );
  });

  test("uses the embedded cluster with the Spark and the image of one version", async () => {
    const { args, env, host } = await started(k8s("k8s://embedded"));
    const expectedArgs = args.slice(args.indexOf("--master"));
    expect(expectedArgs.slice(0, 2)).toEqual(["--master", "k8s://https://127.90.0.1:6443"]);
    expect(expectedArgs).toContain("spark.driver.host=127.0.0.1");
    expect(expectedArgs).toContain("spark.kubernetes.container.image=spark:4.3.0");
    expect(args.join(" ")).not.toContain("the-token");
    expect(env["KUBECONFIG"]).toMatch(/firesteel-kubeconfig-/);
    expect(host.files.info(env["KUBECONFIG"] ?? "")).toBeUndefined();
    expect(host.errorText()).toBe("");
  });

  test("gets a warning about an application that exists only in the image", async () => {
    const errorTextFor = async (path: string, master: string) => {
      const files = { ...sparkFiles, "/here/app.py": "" };
      const argv = ["--master", master, "--conf", "spark.driver.host=192.0.2.7", `local://${path}`];
      return (await started(argv, { files })).host.errorText();
    };
    for (const master of ["k8s://embedded", "k8s://https://h:6443"]) {
      expect(await errorTextFor("/opt/app.py", master)).toContain("/opt/app.py does not exist on this machine");
      expect(await errorTextFor("/here/app.py", master)).not.toContain("is not on this machine");
    }
  });

  test("prefers the user's settings over those of the embedded cluster", async () => {
    const specified = ["spark.driver.host=192.0.2.1", "spark.kubernetes.executor.container.image=mine:1"];
    const { args } = await started([...specified.flatMap((text) => ["--conf", text]), ...k8s("k8s://embedded")]);
    expect(args.filter((arg) => /^spark\..*(host|image)=/.test(arg))).toEqual(specified);
    const strict = await started(k8s("k8s://embedded"), { env: { ...spark, FIRESTEEL_STRICT: "1" } });
    expect(strict.args).toContain("k8s://embedded");
  });
});

describe("a shell", () => {
  test("in Python starts Python, with Spark's arguments in its environment", async () => {
    const argv = ["pyspark-shell-main", "--name", "n", "--conf", 'spark.a=b "c"\\d'];
    const { command, args, env } = await started(argv, {
      env: { ...spark, PYSPARK_DRIVER_PYTHON: "jupyter", PYSPARK_DRIVER_PYTHON_OPTS: "lab '--port 1'" },
    });
    expect([command, ...args]).toEqual(["jupyter", "lab", "--port 1"]);
    expect(env["PYSPARK_SUBMIT_ARGS"]).toBe('"--conf" "spark.a=b \\"c\\"\\\\d" "--name" "n" "pyspark-shell"');
    expect(env["SPARK_API_MODE"]).toBe("classic");
  });

  test("in Python for Spark Connect gets the server only in the environment", async () => {
    const argv = ["pyspark-shell-main", "--remote", "sc://h", "--conf", "spark.pyspark.python=p"];
    const { command, env } = await started(argv);
    expect(command).toBe("p");
    expect(env).toMatchObject({
      ...{ SPARK_REMOTE: "sc://h", SPARK_CONNECT_MODE_ENABLED: "1", PYSPARK_PYTHON: "p" },
      PYSPARK_SUBMIT_ARGS: '"--conf" "spark.pyspark.python=p" "pyspark-shell"',
    });
    const files = { ...sparkFiles, "/spark/conf/spark-defaults.conf": "spark.pyspark.python q\n" };
    const fromFile = await started(["pyspark-shell-main"], { files });
    expect(fromFile.command).toBe("python3");
    expect(fromFile.env).not.toHaveProperty("PYSPARK_PYTHON");
    const written = "spark.remote sc://f\nspark.api.mode connect\n";
    const withoutOutput = await started(["pyspark-shell-main"], {
      files: { ...sparkFiles, "/spark/conf/spark-defaults.conf": written },
    });
    expect(withoutOutput.env).toMatchObject({ SPARK_API_MODE: "classic" });
    expect(withoutOutput.env).not.toHaveProperty("SPARK_REMOTE");
    const local = await started(["pyspark-shell-main", "--conf", "spark.api.mode=connect"]);
    expect(local.env).toMatchObject({ MASTER: "local", PYSPARK_SUBMIT_ARGS: '"pyspark-shell"' });
  });

  test("in Python gets a valid API mode as specified, and the driver's libraries", async () => {
    const mode = async (arg: string) =>
      (await started(["pyspark-shell-main", "--conf", `spark.api.mode=${arg}`])).env["SPARK_API_MODE"];
    expect([await mode("CONNECT"), await mode("other")]).toEqual(["CONNECT", "classic"]);
    const { env } = await started(["pyspark-shell-main", "--driver-library-path", "/l"]);
    expect(env["LD_LIBRARY_PATH"]).toBe("/l");
  });

  test("in Python starts despite invalid driver settings with Spark's exact behavior, except for the launcher's own errors", async () => {
    const strict = { ...spark, FIRESTEEL_STRICT: "1" };
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
      const { command, env } = await started(["pyspark-shell-main", ...argv], { env: strict });
      expect([command, env["PYSPARK_SUBMIT_ARGS"]]).toEqual(["python3", expect.stringContaining(`${argv[1]}"`)]);
    }
    const empty = await started(["pyspark-shell-main", "--remote", ""], { env: strict });
    expect(empty.env).not.toHaveProperty("SPARK_REMOTE");
    expect(
      (
        await rejected(["pyspark-shell-main", "--remote", "sc://h", "--deploy-mode", "client"], {
          env: strict,
        })
      ).issues,
    ).toEqual(["SUBMIT_ERR_REMOTE_WITH_MASTER: Remote cannot be specified with master and/or deploy mode."]);
    expect(
      (await rejected(["pyspark-shell-main"], { env: { ...spark, PYSPARK_DRIVER_PYTHON_OPTS: "'a" } })).issues,
    ).toEqual(["SUBMIT_ERR_OPTION_STRING: Invalid option string: 'a"]);
  });

  test("rejects an application", async () => {
    const codes = async (...argv: string[]) => (await rejected(argv)).issues.map((text) => text.split(":")[0]);
    expect(await codes("pyspark-shell-main", "x", "a.py")).toEqual(["SUBMIT_ERR_PYSPARK_ARGS"]);
    expect(await codes("pyspark-shell-main", "a.py")).toEqual(["SUBMIT_ERR_PYSPARK_FILE"]);
    for (const script of ["x.R", "x.r"])
      expect(await codes("sparkr-shell-main", script)).toEqual(["SUBMIT_ERR_SPARKR_FILE"]);
    expect(await codes("pyspark-shell-main", "--properties-file", "/none", "x")).toEqual([
      ...["SUBMIT_ERR_PROPERTIES_FILE", "SUBMIT_ERR_PYSPARK_ARGS"],
    ]);
    expect((await started(["sparkr-shell-main", "--no-save", "x.R"])).command).toBe("R");
  });

  test("in R starts R", async () => {
    const { command, env } = await started(["sparkr-shell-main", "--master", "local"]);
    expect(command).toBe("R");
    expect(env).toMatchObject({
      SPARKR_SUBMIT_ARGS: '"--master" "local" "sparkr-shell"',
      R_PROFILE_USER: "/spark/R/lib/SparkR/profile/shell.R",
    });
  });

  test("in Scala for Spark Connect has a separate class", async () => {
    const argv = ["--class", "org.apache.spark.repl.Main", "--remote", "sc://h"];
    const { args } = await started(argv, { env: { ...spark, SPARK_SCALA_SHELL: "1" } });
    expect(args.slice(-4)).toEqual(
      [...["--remote", "sc://h", "--class", "org.apache.spark.sql.application.ConnectRepl"], "connect-shell"].slice(-4),
    );
    const unnamed = await started(["--remote", "sc://h", "a.py"], {
      env: { ...spark, SPARK_SCALA_SHELL: "1" },
    });
    expect(unnamed.args.slice(-3)).toEqual(["--remote", "sc://h", "connect-shell"]);
    const classic = await started(argv, { env: { ...spark } });
    expect(classic.args.at(-1)).toBe("spark-shell");
  });
});

describe("an example", () => {
  const jars = {
    "/spark/examples/jars/scopt.jar": "",
    "/spark/examples/jars/spark-examples_2.13-4.3.0.jar": "",
  };

  test("uses a jar of the distribution, and adds all example jars", async () => {
    const { args } = await started(["run-example", "SparkPi", "7"], { files: { ...sparkFiles, ...jars } });
    expect(args.slice(-6)).toEqual([
      ...["--jars", "/spark/examples/jars/scopt.jar,/spark/examples/jars/spark-examples_2.13-4.3.0.jar"],
      ...["--class", "org.apache.spark.examples.SparkPi"],
      ...["/spark/examples/jars/spark-examples_2.13-4.3.0.jar", "7"],
    ]);
  });

  test("is a shell if its class is a shell's", async () => {
    const argv = ["run-example", "--class", "org.apache.spark.repl.Main", "SparkPi"];
    const { args } = await started(argv, { files: { ...sparkFiles, ...jars } });
    expect(args.slice(-2)).toEqual(["spark-shell", "SparkPi"]);
  });

  test("has its jars in the order of the directory, as Java lists it", async () => {
    const files = {
      ...sparkFiles,
      "/spark/examples/jars/spark-examples.jar": "",
      "/spark/examples/jars/a.jar": "",
    };
    const { args } = await started(["run-example", "SparkPi"], { files });
    expect(args[args.indexOf("--jars") + 1]).toBe("/spark/examples/jars/spark-examples.jar,/spark/examples/jars/a.jar");
  });

  test("is rejected without its jar; with Spark's exact behavior, only a distribution with a RELEASE file has jars", async () => {
    expect((await rejected(["run-example", "SparkPi"])).issues).toEqual([
      "SUBMIT_ERR_EXAMPLES: Examples jars directory '/spark/examples/target/scala-2.13/jars' does not exist.",
    ]);
    const strict = { env: { ...spark, FIRESTEEL_STRICT: "1" }, files: { ...sparkFiles, ...jars } };
    expect((await rejected(["run-example", "SparkPi"], strict)).issues[0]).toContain("target/scala-2.13/jars");
    const files = { ...sparkFiles, "/spark/RELEASE": "", "/spark/examples/jars/other.jar": "" };
    expect((await rejected(["run-example", "SparkPi"], { files })).issues).toEqual([
      "SUBMIT_ERR_EXAMPLES: Failed to find examples' main app jar.",
    ]);
  });
});

describe("spark-pipelines", () => {
  const machine = (files: Readonly<Record<string, string>>) =>
    testHost({
      argv: ["run", "--spec", "s.yml\r"],
      env: spark,
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
