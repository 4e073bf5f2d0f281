import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { differenceOf } from "../golden/difference.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith } from "../test-with.ts";

/**
 * Compares the processes that Spark's scripts start with those of Firesteel's programs: arguments and variables. The scripts and their
 * launcher are real; only the last process is replaced by a recorder.
 */
const java = localJava(nodeHost())?.home ?? "";

interface Case {
  readonly program: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the configuration directory. */
  readonly conf?: Readonly<Record<string, string>>;
  readonly since?: "4";
  readonly input?: string;
}

const app = ["--class", "X", "a.jar", "two words", "", "--flag", "it's"];
const submit = (...argv: string[]) => ({ program: "spark-submit", argv: [...argv, ...app] });
const yarn = { HADOOP_CONF_DIR: "/hadoop/conf", YARN_CONF_DIR: "/yarn/conf" };
const kubernetes = ["--master", "k8s://https://203.0.113.7:6443", "--deploy-mode", "client"];

const cases: readonly Case[] = [
  submit("--master", "local[2]"),
  submit("--master", "spark://203.0.113.7:7077", "--total-executor-cores", "3", "--executor-memory", "2g"),
  { ...submit("--master", "yarn", "--num-executors", "2", "--queue", "q"), env: yarn },
  { ...submit("--master", "yarn", "--deploy-mode", "client", "--archives", "x.zip#y"), env: yarn },
  submit(...kubernetes, "--conf", "spark.kubernetes.container.image=spark:4", "--executor-cores", "2"),
  submit(...kubernetes, "--proxy-user", "someone", "--name", "a name"),
  { program: "spark-submit", argv: ["--py-files", "b.py", "app.py", "1"] },
  { program: "spark-submit", argv: ["--master", "local", "app.R", "1"] },
  // Options of the JVM.
  submit("--driver-java-options", `-Da=b "-Dc=d e" '-Df="g"' -Dh=i\\ j -Dk=$l`),
  submit("--conf", "spark.driver.defaultJavaOptions=-Dd=1", "--conf", "spark.driver.extraJavaOptions=-De=2"),
  submit("--driver-class-path", "/x.jar:/tmp:/y/*", "--driver-library-path", "/lib/one:/lib/two"),
  { ...submit("--driver-library-path", "/lib/one"), env: { LD_LIBRARY_PATH: "/before" } },
  submit("--conf", "spark.driver.extraClassPath=/x.jar", "--conf", "spark.driver.extraLibraryPath=/l"),
  { ...submit("--driver-default-class-path", "/y.jar"), since: "4" },
  // Memory from each source; the first one wins.
  submit("--driver-memory", "700m", "--conf", "spark.driver.memory=800m"),
  submit("--conf", "spark.driver.memory=800m", "--driver-memory", "700m"),
  { ...submit(), conf: { "spark-defaults.conf": "spark.driver.memory 900m\nspark.driver.cores 2\n" } },
  { ...submit(), env: { SPARK_DRIVER_MEMORY: "901m", SPARK_MEM: "902m" } },
  { ...submit(), env: { SPARK_MEM: "902m" } },
  { ...submit("--master", "spark://h:1"), env: { SPARK_DAEMON_MEMORY: "2g", SPARK_DAEMON_JAVA_OPTS: "-Dd" } },
  // Variables and files.
  {
    ...submit("--properties-file", "conf/more.conf"),
    conf: {
      "more.conf": "spark.driver.extraJavaOptions = -Dmore='1 2'\nspark.driver.memory: 901m\n",
      "spark-defaults.conf": "spark.driver.extraClassPath /d.jar\n",
    },
  },
  {
    ...submit("--load-spark-defaults", "--properties-file", "conf/more.conf"),
    conf: { "more.conf": "spark.a=1\n", "spark-defaults.conf": "spark.driver.extraClassPath /d.jar\n" },
    since: "4",
  },
  { ...submit(), conf: { "java-opts": "-Xss3m '-Djo=a b'\n-Djp\n" } },
  {
    ...submit(),
    conf: {
      "spark-env.sh": 'SPARK_DRIVER_MEMORY=777m\nexport USER_VARIABLE="a b"\nHADOOP_CONF_DIR=$SPARK_CONF_DIR/h\n',
    },
  },
  { ...submit(), conf: { "spark-env.sh": "SPARK_DRIVER_MEMORY=777m\n" }, env: { SPARK_ENV_LOADED: "1" } },
  { ...submit(), env: { SPARK_SUBMIT_OPTS: "-Ds=1 '-Dt=u v'", SPARK_DIST_CLASSPATH: "/d1:/d2::" } },
  { ...submit(), env: { SPARK_LAUNCHER_OPTS: "-Dlauncher=1", SPARK_LOCAL_IP: "127.0.0.1" } },
  { ...submit(), env: { SPARK_PREPEND_CLASSES: "1" } },
  { ...submit(), env: { SPARK_SCALA_VERSION: "2.13", SPARK_CONNECT_MODE: "0" }, since: "4" },
  { ...submit(), env: { SPARK_PRINT_LAUNCH_COMMAND: "1" } },
  submit("--supervise", "--files", "a", "-v", "--files=b", "--master", "foo"),
  { ...submit(), env: { SPARK_SCALA_SHELL: "1", SPARK_CONNECT_MODE: "0", SPARK_SCALA_VERSION: "" } },
  // Spark Connect.
  { program: "spark-submit", argv: ["--remote", "sc://h:15002", "app.py"] },
  { program: "spark-submit", argv: ["app.py"], env: { SPARK_REMOTE: "sc://h" } },
  { program: "spark-submit", argv: ["--conf", "spark.api.mode=connect", "app.py"] },
  {
    program: "spark-submit",
    argv: ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--conf", "spark.a=b"],
    env: { SPARK_DAEMON_MEMORY: "2g", SPARK_DAEMON_JAVA_OPTS: "-Dd=1" },
  },
  {
    program: "spark-submit",
    argv: ["--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "--hiveconf", "a=b"],
  },
  // Shells.
  { program: "spark-shell" },
  { program: "spark-shell", argv: ["--master", "local[3]", "-I", "init.scala", "--driver-memory", "2g"] },
  { program: "spark-shell", argv: ["--remote", "sc://h:15002"] },
  { program: "spark-shell", env: { SPARK_SUBMIT_OPTS: "-Dbefore", SPARK_REMOTE: "sc://h" } },
  { program: "spark-shell", argv: ["--conf", "spark.api.mode=connect"] },
  { program: "spark-connect-shell", argv: ["--master", "local"] },
  { program: "spark-sql", argv: ["--master", "local", "-e", "select 1", "--hiveconf", "a=b"] },
  { program: "spark-sql", argv: ["-f", "x.sql"], env: { SPARK_CONNECT_MODE: "1" }, since: "4" },
  { program: "pyspark", argv: ["--master", "local[2]", "--conf", 'spark.a=b "c" \\d'] },
  { program: "pyspark", env: { PYSPARK_DRIVER_PYTHON: "python3", PYSPARK_DRIVER_PYTHON_OPTS: "-X 'a b'" } },
  { program: "pyspark", env: { PYTHONPATH: "/mine", PYTHONSTARTUP: "/start.py", PYTHONHASHSEED: "7" } },
  { program: "pyspark", argv: ["--remote", "sc://h:1"] },
  { program: "pyspark", argv: ["--conf", "spark.pyspark.python=python3", "--packages", "a:b:1"] },
  { program: "pyspark", env: { SPARK_REMOTE: "sc://h" } },
  { program: "pyspark", conf: { "spark-env.sh": "PYSPARK_DRIVER_PYTHON_OPTS=-X\\ q\n" } },
  { program: "pyspark", argv: ["--conf", "spark.api.mode=connect", "--master", "local[2]"] },
  { program: "pyspark", argv: ["--master", "", "--driver-java-options", "'open"] },
  { program: "pyspark", argv: ["--deploy-mode", "here", "--conf", "spark.driver.extraJavaOptions=-Xmx1g"] },
  { program: "pyspark", argv: ["--remote", "", "--executor-memory", "-1g"] },
  { program: "pyspark", argv: ["--class", "org.apache.spark.repl.Main", "x"] },
  { program: "pyspark", argv: ["-v", "--queue", "a", "--name", "b", "--queue", "c", "--verbose"] },
  { program: "spark-sql", argv: ["--help"] },
  { program: "sparkR", argv: ["--master", "local[2]", "--conf", "spark.a=b c"] },
  { program: "sparkR", argv: ["--conf", "spark.r.shell.command=R"], env: { SPARKR_DRIVER_R: "other" } },
  { program: "run-example", argv: ["--master", "local", "SparkPi", "10"] },
  { program: "run-example", argv: ["org.apache.spark.examples.SparkPi"] },
  { program: "spark-pipelines", argv: ["run", "--spec", "a.yaml", "--conf", "a=b"], since: "4" },
  {
    program: "spark-pipelines",
    argv: ["init", "--name", "x"],
    env: { PYTHONPATH: "/mine", SPARK_DRIVER_MEMORY: "2g", SPARK_CONNECT_MODE: "1" },
    since: "4",
  },
];

interface Started {
  readonly what: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  readonly exit: number | null;
  readonly stderr: string;
}

/** Creates a Spark with its own configuration directory and recording programs. */
function installRecorder(sparkHome: string, { conf = {} }: Case): string {
  const directory = temporaryDirectory();
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text, { mode });
  };
  mkdirSync(join(directory, "spark"));
  for (const name of readdirSync(sparkHome))
    if (!["conf", "examples", "RELEASE"].includes(name))
      symlinkSync(join(sparkHome, name), join(directory, "spark", name));
  for (const name of ["spark/RELEASE", "spark/examples/jars/spark-examples_2.13.jar", "spark/examples/jars/a.jar"])
    write(name, "");
  mkdirSync(join(directory, "spark", "conf"));
  symlinkSync(join(directory, "spark", "conf"), join(directory, "conf"));
  for (const [name, text] of Object.entries(conf)) write(`spark/conf/${name}`, text);
  const note = 'printf "%s\\0" "$0" "$@" > "$OUT/args"; env -0 > "$OUT/env"; cat > "$OUT/input"; exit 3\n';
  const realJava = `for argument in "$@"; do [ "$argument" = org.apache.spark.launcher.Main ] && exec ${java}/bin/java "$@"; done\n`;
  const realPython = 'case "$1" in -c|-) exec /usr/bin/env -S PATH=/usr/bin:/usr/local/bin python3 "$@";; esac\n';
  write("jdk/bin/java", `#!/bin/sh\n${realJava}${note}`, 0o755);
  write("path/python3", `#!/bin/sh\n${realPython}${note}`, 0o755);
  write("path/R", `#!/bin/sh\n${note}`, 0o755);
  return directory;
}

function startedBy(program: string, directory: string, { argv = [], env = {} }: Case): Started {
  const out = temporaryDirectory();
  const { status, stderr } = spawnSync(program, argv, {
    cwd: directory,
    env: {
      PATH: `${directory}/path:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: directory,
      LC_ALL: "C.UTF-8",
      OUT: out,
      JAVA_HOME: join(directory, "jdk"),
      SPARK_HOME: join(directory, "spark"),
      FIRESTEEL_STRICT: "1",
      ...env,
    },
    input: "typed\n",
    encoding: "utf8",
  });
  const read = (name: string) => {
    try {
      return readFileSync(join(out, name), "utf8");
    } catch {
      return "";
    }
  };
  const [what = "", ...args] = read("args").split("\0").slice(0, -1);
  const variables = Object.fromEntries(
    read("env")
      .split("\0")
      .slice(0, -1)
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
  rmSync(out, { recursive: true });
  const clean = (text: string) => text.replaceAll(out, "OUT");
  return {
    what: what.slice(what.lastIndexOf("/") + 1),
    args: sortedSettings(args.map(sortedJars)),
    env: Object.fromEntries(
      Object.entries(variables)
        .filter(([name]) => !ofShells.test(name))
        .map(([name, value]) => [name, name.endsWith("_SUBMIT_ARGS") ? sortedQuoted(value) : clean(value)]),
    ),
    input: read("input"),
    exit: status,
    stderr: clean(stderr),
  };
}

/** Variables that shells set, that Spark's scripts use internally for the terminal, or that only Firesteel has. */
const ofShells = /^(?:_|SHLVL|PWD|OLDPWD|SPARK_BEELINE_OPTS|FIRESTEEL_STRICT)$/;

/** Sorts settings, whose order is random because the launcher keeps them in a hash table. */
function sortedSettings(args: readonly string[]): readonly string[] {
  const first = args.indexOf("--conf");
  if (first < 0) return args;
  let end = first;
  while (args[end] === "--conf") end += 2;
  const settings = args.slice(first, end).filter((arg) => arg !== "--conf");
  return [...args.slice(0, first), ...settings.sort(), ...args.slice(end)];
}

/** Sorts single jars, which are in directory order. */
function sortedJars(text: string): string {
  const separator = /\.jar,/.test(text) ? "," : ":";
  return /\/jars\/[^/]+\.jar[,:]/.test(text) ? text.split(separator).sort().join(separator) : text;
}

function sortedQuoted(text: string): string {
  const args = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, text = ""]) => text);
  return sortedSettings(args).join("|");
}

for (const line of ["3.5", "4.3"]) {
  const spark = sparkOf(line);
  describeWith(spark)(`what the scripts of Spark ${line} start`, {}, () => {
    const { version, home } = available(spark);
    const of = cases.filter(({ since }) => since === undefined || version.startsWith("4"));
    test.each(
      of.map((kase) => ({
        ...kase,
        title: [...(kase.argv ?? []), JSON.stringify(kase.env ?? {})].join(" "),
      })),
    )("$program $title", (kase) => {
      const directory = installRecorder(home, kase);
      const fromSpark = startedBy(join(directory, "spark", "bin", kase.program), directory, kase);
      const fromFiresteel = startedBy(join(root, "dist", "bin", `${kase.program}.cjs`), directory, kase);
      const faults = differenceOf(fromSpark, fromFiresteel, "it");
      if (faults.length > 0) expect.fail(faults.join("\n"));
      expect(fromSpark.exit).toBe(3);
    });
  });
}
