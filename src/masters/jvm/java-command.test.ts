import { describe, expect, test } from "vitest";
import { classCommand, submitCommand } from "./java-command.ts";
import { testLaunch } from "./test-launch.ts";

type Options = Parameters<typeof testLaunch>[1];

function argsOf(argv: readonly string[], options: Options = {}): readonly string[] {
  const command = submitCommand(testLaunch(argv, options), ["WORDS"]);
  if (!command.ok) throw new Error(command.issues.map(({ message }) => message).join());
  return command.value.args;
}

/** Removes the options that Spark passes to every JVM. */
function ownArgs(argv: readonly string[], options: Options = {}): readonly string[] {
  return argsOf(argv, options).filter(
    (arg) => !/^(--add|-XX:\+Ignore|-Dio\.netty|-Djdk|--sun|--enable|-Dderby)/.test(arg),
  );
}

function classPathOf(argv: readonly string[], options: Options = {}): string | undefined {
  const args = argsOf(argv, options);
  return args[args.indexOf("-cp") + 1];
}

const app = ["--class", "X", "a.jar"];

describe("the command of a JVM", () => {
  test("takes the heap from the first of: the setting, SPARK_DRIVER_MEMORY, SPARK_MEM, 1g", () => {
    const env = { SPARK_DRIVER_MEMORY: "3g", SPARK_MEM: "4g" };
    expect(argsOf(["--driver-memory", "2g", ...app], { env })).toContain("-Xmx2g");
    expect(argsOf(app, { env })).toContain("-Xmx3g");
    expect(argsOf(app, { env: { SPARK_MEM: "4g" } })).toContain("-Xmx4g");
    expect(argsOf(app)).toContain("-Xmx1g");
  });

  test("has the user's options after its heap, and SPARK_SUBMIT_OPTS before", () => {
    const options = ["--driver-java-options", "-De=1 '-Df=2 3'", "--conf", "spark.driver.defaultJavaOptions=-Dd"];
    expect(ownArgs([...options, ...app], { env: { SPARK_SUBMIT_OPTS: "-Ds" } })).toEqual([
      "-cp",
      "/spark/conf/:/spark/jars/slf4j-api-2.0.17.jar:/spark/jars/*",
      ...["-Ds", "-Xmx1g", "-Dd", "-De=1", "-Df=2 3"],
      ...["org.apache.spark.deploy.SparkSubmit", "WORDS"],
    ]);
  });

  test("has no heap, options and libraries of the driver when that runs in a cluster", () => {
    const argv = ["--master", "yarn", "--deploy-mode", "cluster", "--driver-memory", "2g"];
    const driver = ["--driver-class-path", "/x", "--driver-java-options", "-De", "--driver-library-path", "/l"];
    const args = ownArgs([...argv, ...driver, ...app]);
    expect(args.slice(2)).toEqual(["org.apache.spark.deploy.SparkSubmit", "WORDS"]);
    expect(classPathOf([...argv, ...driver, ...app])).not.toContain("/x");
  });

  test("of a server has the daemons' memory and options", () => {
    const env = { SPARK_DAEMON_MEMORY: "3g", SPARK_DAEMON_JAVA_OPTS: "-Dd=1", SPARK_DRIVER_MEMORY: "2g" };
    const args = ownArgs(["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"], { env });
    expect(args.slice(2, 4)).toEqual(["-Dd=1", "-Xmx3g"]);
  });

  test("has the options of java-opts first", () => {
    const files = { "/conf/java-opts": "-Xss4m '-Da=b c'\n-Db\n" };
    const args = argsOf(app, { files, env: { SPARK_CONF_DIR: "/conf" } });
    expect(args.slice(0, 4)).toEqual(["-Xss4m", "-Da=b c", "-Db", "-cp"]);
  });

  test("adds a library path to that of the environment", () => {
    const argv = ["--driver-library-path", "/a:/b", ...app];
    const envOf = (options: Options) => {
      const command = submitCommand(testLaunch(argv, options), []);
      return command.ok ? command.value.env : undefined;
    };
    expect(envOf({ env: { LD_LIBRARY_PATH: "/old" } })).toEqual({ LD_LIBRARY_PATH: "/old:/a:/b" });
    expect(envOf({ platform: "darwin" })).toEqual({ DYLD_LIBRARY_PATH: "/a:/b" });
  });

  test("is rejected if a variable has an unterminated quote, as by Spark's launcher", () => {
    const command = submitCommand(testLaunch(app, { env: { SPARK_SUBMIT_OPTS: "-Da='b" } }), []);
    expect(command).toMatchObject({ issues: [{ message: "Invalid option string: -Da='b" }] });
  });

  test("of another class has the memory of SPARK_DRIVER_MEMORY, and no submission arguments", () => {
    const launch = testLaunch(["a.jar"], { env: { SPARK_DRIVER_MEMORY: "5g", SPARK_SUBMIT_OPTS: "-Ds" } });
    const command = classCommand(launch, "C", ["w"]);
    const args = command.ok ? command.value.args : [];
    expect(args).toContain("-Xmx5g");
    expect(args.filter((arg) => /^-D(s|derby)/.test(arg))).toEqual([]);
    expect(args.slice(-2)).toEqual(["C", "w"]);
  });
});

describe("the class path", () => {
  test("begins with the user's entries, and ends with Hadoop's and the distribution's", () => {
    const env = { HADOOP_CONF_DIR: "/h:/h2", YARN_CONF_DIR: "/h2", SPARK_DIST_CLASSPATH: "/d::/e" };
    expect(classPathOf(["--driver-class-path", "/x:/spark/conf", ...app], { env })).toBe(
      "/x:/spark/conf/:/spark/jars/slf4j-api-2.0.17.jar:/spark/jars/*:/h:/h2:/d:/e",
    );
  });

  test("differs by Spark line", () => {
    expect(classPathOf(app, { line: "3.5" })).toBe("/spark/conf/:/spark/jars/*");
    expect(classPathOf(app, { line: "4.0" })).toBe(
      "hive-jackson/*:/spark/conf/:/spark/jars/slf4j-api-2.0.17.jar:/spark/jars/*",
    );
    expect(classPathOf(["--driver-default-class-path", "/y", ...app])).toMatch(/^\/y:\/spark\/conf\//);
  });

  test("of a Spark Connect client lists jars without Spark SQL, since 4.0", () => {
    const jars =
      "/spark/conf/:/spark/jars/slf4j-api-2.0.17.jar:/spark/jars/spark-core_2.13-4.3.0.jar:/spark/jars/connect-repl/*";
    expect(classPathOf(["--remote", "sc://h", "a.py"])).toBe(jars);
    expect(classPathOf(["a.py"], { env: { SPARK_REMOTE: "" } })).toBe(jars);
    expect(classPathOf(["--conf", "spark.api.mode=connect", "a.py"])).toBe(jars);
    const classic = ["--remote", "sc://h", "--conf", "spark.api.mode=classic", "a.py"];
    expect(classPathOf(classic)).toMatch(/\/spark\/jars\/\*$/);
    const setting = ["--conf", "spark.api.mode=classic", "--conf", "spark.remote=sc://h", "a.py"];
    expect(classPathOf(setting)).toBe(jars);
    expect(classPathOf(["--remote", "sc://h", "a.py"], { line: "3.5" })).toMatch(/\/spark\/jars\/\*$/);
  });

  test("of another class is that of a Spark Connect client only if SPARK_REMOTE is set", () => {
    const classPathWith = (env: Readonly<Record<string, string>>) => {
      const command = classCommand(testLaunch(["a.py"], { env }), "C", []);
      return command.ok ? command.value.args[1] : undefined;
    };
    expect(classPathWith({ SPARK_CONNECT_MODE: "1" })).toMatch(/\/spark\/jars\/\*$/);
    expect(classPathWith({ SPARK_REMOTE: "sc://h" })).toMatch(/connect-repl\/\*$/);
  });

  test("has the compiled classes of a source tree with SPARK_PREPEND_CLASSES", () => {
    const path = classPathOf(app, { env: { SPARK_PREPEND_CLASSES: "1" } });
    expect(path).toContain(":/spark/core/target/scala-2.13/classes:/spark/examples/");
    expect(path).toContain(":/spark/core/target/jars/*:/spark/mllib/target/jars/*:/spark/jars/");
    expect(path).not.toContain("mesos");
    const old = { line: "3.5", env: { SPARK_PREPEND_CLASSES: "1", SPARK_SCALA_VERSION: "2.13" } } as const;
    expect(classPathOf(app, old)).toContain("/spark/resource-managers/mesos/target/scala-2.13/classes");
  });
});
