import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { localJava } from "../../src/spark/find-java.ts";
import { listDistributions } from "../../src/spark/find-spark.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { differenceOf } from "../golden/difference.ts";

/**
 * What Spark's own scripts start in the end, word by word and variable by variable, beside what our programs start. The scripts
 * and their launcher are the real ones; only what they start at last writes down how it was started.
 */
const host = nodeHost();
const java = localJava(host)?.home;
const sparks = ["3.5", "4.3"].flatMap(
  (line) => listDistributions(host).find(({ version }) => version.startsWith(`${line}.`)) ?? [],
);
if (java === undefined || sparks.length === 0)
  console.log("skipped: Spark's scripts need a Spark (firesteel spark install) and Java");

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
  // Memory of each source, the first that speaks.
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
      "spark-env.sh": 'SPARK_DRIVER_MEMORY=777m\nexport MINE="a b"\nHADOOP_CONF_DIR=$SPARK_CONF_DIR/h\n',
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

/** A Spark with a configuration directory of its own, and programs that say how they were started. */
function placeOf(sparkHome: string, { conf = {} }: Case): string {
  const folder = temporaryDirectory();
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  mkdirSync(join(folder, "spark"));
  for (const name of readdirSync(sparkHome))
    if (!["conf", "examples", "RELEASE"].includes(name))
      symlinkSync(join(sparkHome, name), join(folder, "spark", name));
  for (const name of [
    "spark/RELEASE",
    "spark/examples/jars/spark-examples_2.13.jar",
    "spark/examples/jars/a.jar",
  ])
    write(name, "");
  mkdirSync(join(folder, "spark", "conf"));
  symlinkSync(join(folder, "spark", "conf"), join(folder, "conf"));
  for (const [name, text] of Object.entries(conf)) write(`spark/conf/${name}`, text);
  const note = 'printf "%s\\0" "$0" "$@" > "$OUT/args"; env -0 > "$OUT/env"; cat > "$OUT/input"; exit 3\n';
  const realJava = `for word in "$@"; do [ "$word" = org.apache.spark.launcher.Main ] && exec ${java}/bin/java "$@"; done\n`;
  const realPython =
    'case "$1" in -c|-) exec /usr/bin/env -S PATH=/usr/bin:/usr/local/bin python3 "$@";; esac\n';
  write("jdk/bin/java", `#!/bin/sh\n${realJava}${note}`, 0o755);
  write("path/python3", `#!/bin/sh\n${realPython}${note}`, 0o755);
  write("path/R", `#!/bin/sh\n${note}`, 0o755);
  return folder;
}

function startedBy(program: string, folder: string, { argv = [], env = {} }: Case): Started {
  const out = temporaryDirectory();
  const { status, stderr } = spawnSync(program, argv, {
    cwd: folder,
    env: {
      PATH: `${folder}/path:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: folder,
      LC_ALL: "C.UTF-8",
      OUT: out,
      JAVA_HOME: join(folder, "jdk"),
      SPARK_HOME: join(folder, "spark"),
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

/** What any shell script leaves, what Spark's scripts tell each other about the terminal, and ours alone. */
const ofShells = /^(?:_|SHLVL|PWD|OLDPWD|SPARK_BEELINE_OPTS|FIRESTEEL_STRICT)$/;

/** The launcher keeps settings in a hash table: their order means nothing. */
function sortedSettings(args: readonly string[]): readonly string[] {
  const first = args.indexOf("--conf");
  if (first < 0) return args;
  let end = first;
  while (args[end] === "--conf") end += 2;
  const settings = args.slice(first, end).filter((word) => word !== "--conf");
  return [...args.slice(0, first), ...settings.sort(), ...args.slice(end)];
}

/** Single jars come as a folder lists them. */
function sortedJars(word: string): string {
  const separator = /\.jar,/.test(word) ? "," : ":";
  return /\/jars\/[^/]+\.jar[,:]/.test(word) ? word.split(separator).sort().join(separator) : word;
}

function sortedQuoted(text: string): string {
  const args = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, word = ""]) => word);
  return sortedSettings(args).join("|");
}

describe.skipIf(java === undefined).each(sparks.map(({ version, home }) => ({ version, home })))(
  "what the scripts of Spark $version start",
  ({ version, home }) => {
    const of = cases.filter(({ since }) => since === undefined || version.startsWith("4"));
    test.each(
      of.map((kase) => ({
        ...kase,
        title: [...(kase.argv ?? []), JSON.stringify(kase.env ?? {})].join(" "),
      })),
    )("$program $title", (kase) => {
      const folder = placeOf(home, kase);
      const theirs = startedBy(join(folder, "spark", "bin", kase.program), folder, kase);
      const ours = startedBy(join(root, "dist", "bin", `${kase.program}.cjs`), folder, kase);
      const faults = differenceOf(theirs, ours, "it");
      if (faults.length > 0) expect.fail(faults.join("\n"));
      expect(theirs.exit).toBe(3);
    });
  },
);
