import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import { type Outcome, run, start } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, testWith } from "../test-with.ts";
import { call } from "./fetch-peer.ts";
import { fileOf, keptContainers } from "./mini-hadoop.ts";
import {
  defaultArgs,
  environmentOf as environmentIn,
  hadoopForTests,
  idIn,
  jarFor as jarOf,
} from "./yarn-applications.ts";

const newest = sparkOf("4.3");

const hadoop = hadoopForTests(newest, keptContainers);

const jarFor = (spark: SparkHome) => jarOf(hadoop(), spark);
const environmentOf = (spark: SparkHome) => environmentIn(hadoop(), spark);

for (const line of ["4.3", "3.5"]) {
  const distribution = sparkOf(line);
  describeWith(distribution)(`a real YARN and HDFS, Spark ${line}`, {}, () =>
    testApplications(available(distribution)),
  );
}

function testApplications(spark: SparkHome): void {
  const submit = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    run("spark-submit", [...defaultArgs(spark), ...args], { env: { ...environmentOf(spark), ...env } });

  test("run an application with its files, archives, variables and options to its end", async () => {
    const { directory } = hadoop();
    const text = fileOf(directory, "data.txt", "some data\n");
    fileOf(directory, "in.txt", "in an archive\n");
    call("jar", ["cfM", `${directory}/more.zip`, "-C", directory, "in.txt"]);
    const ended = await submit([
      ...["--files", `${text}#table.txt`, "--archives", `${directory}/more.zip#env`, "--queue", "night"],
      ...["--conf", "spark.yarn.appMasterEnv.FIRESTEEL_VARIABLE=value", "--conf", "spark.yarn.tags=a,b"],
      ...["--conf", 'spark.driver.extraJavaOptions=-Dfiresteel.option="with spaces"'],
      ...["--class", "Pi", jarFor(spark), "it's $HOME", '`date` \\d "q"'],
    ]);
    expect(ended).toMatchObject({ exit: 0 });
    const log = hadoop().logsOf(idIn(ended), "stdout");
    expect(log).toContain('words [it\'s $HOME, `date` \\d "q"]\noption with spaces\nvariable value\n');
    expect(log).toContain("table.txt some data\nenv/in.txt in an archive\n");
    expect(log).toMatch(/Pi is roughly 3\.\d+/);
    expect(ended.stderr).toMatch(/queue: root\.night\n/);
  });

  test("report a failure with Spark's message", async () => {
    const ended = await submit(["--class", "Pi", jarFor(spark), "fail"], {
      FIRESTEEL_STRICT: "1",
      SPARK_HOME: "",
    });
    expect(ended).toMatchObject({ exit: 1 });
    expect(ended.stderr).toContain(
      "ERROR Client: Application diagnostics message: User class threw exception: java.lang.IllegalStateException: as requested",
    );
    expect(ended.stderr).toContain(
      `Exception in thread "main" org.apache.spark.SparkException: Application ${idIn(ended)} finished with failed status`,
    );
  });

  test("run Python with its modules, and return its exit code", async () => {
    const { directory } = hadoop();
    const module = fileOf(directory, "factor.py", "factor = 3\n");
    const script = [
      "import sys, factor",
      "from pyspark.sql import SparkSession",
      "spark = SparkSession.builder.getOrCreate()",
      "times = factor.factor",
      'print("sum", spark.sparkContext.parallelize(range(5), 2).map(lambda n: n * times).sum())',
      "spark.stop()",
      "sys.exit(7)",
    ];
    const ended = await submit(["--py-files", module, fileOf(directory, "app.py", script.join("\n"))]);
    expect(hadoop().logsOf(idIn(ended), "stdout")).toContain("sum 30\n");
    expect(ended).toMatchObject({ exit: 7 });
  });

  test("start the same container for Firesteel as for Apache's client", async () => {
    const { directory } = hadoop();
    const module = fileOf(directory, "module.py", "");
    call("jar", ["cfM", `${directory}/library.zip`, "-C", directory, "module.py"]);
    const args = [
      ...["--py-files", `${module},${directory}/library.zip`, "--files", `${module}#other.py`, "--name", "my app"],
      ...["--jars", `${jarFor(spark)}#further.jar`, "--conf", "spark.yarn.appMasterEnv.PYSPARK_PYTHON=python3"],
      ...["--conf", "spark.driver.extraLibraryPath=/lib/x", "--conf", "spark.executorEnv.PYTHONPATH=/e"],
      ...["--conf", "spark.driver.extraJavaOptions=-Da='b c'", "--conf", "spark.app.submitTime=1"],
      ...[fileOf(directory, "none.py", "import sys\nsys.exit(3)\n"), "it's", "$X", "a b"],
    ];
    const firesteel = await submit(args);
    const apache = spawnSync(join(spark.home, "bin", "spark-submit"), [...defaultArgs(spark), ...args], {
      encoding: "utf8",
      env: { ...process.env, ...environmentOf(spark) },
    });
    const started = (id: string) =>
      ["launch_container.sh", ...["conf", "dist_cache"].map((name) => `__spark_conf__/__spark_${name}__.properties`)]
        .flatMap((path) => hadoop().containerFile(id, path).split("\n"))
        .filter((line) => !line.startsWith("#") && !line.includes("LOCALIZATION_COUNTERS"))
        .map((line) => line.replaceAll(id.replace("application", ""), "_ID").replaceAll(/\b\d{13}\b/g, "TIME"))
        .map((line) => line.replaceAll(/\/filecache\/\d+\//g, "/filecache/").replace(/(\.sizes=.*),\d+$/, "$1"))
        .sort();
    expect(started(idIn(firesteel))).toEqual(started(idIn(apache)));
  });

  testWith("R")("run R with SparkR beside it", async () => {
    // Distributions from PyPI have no SparkR. The content of SparkR does not affect its transfer.
    const home = mkdtempSync(join(hadoop().directory, "spark-"));
    for (const name of readdirSync(spark.home)) symlinkSync(join(spark.home, name), join(home, name));
    const library = join(home, "R/lib");
    mkdirSync(join(library, "SparkR/profile"), { recursive: true });
    fileOf(join(library, "SparkR/profile"), "general.R", "");
    call("jar", ["cfM", join(library, "sparkr.zip"), "-C", library, "SparkR"]);
    const ended = await submit([join(import.meta.dirname, "hadoop/parallelism.R"), "a b"], {
      SPARK_HOME: home,
    });
    expect(ended.exit, ended.stderr).toBe(0);
    expect(hadoop().logsOf(idIn(ended), "stdout")).toMatch(/parallelism \d+ \nwords a b \nSparkR TRUE/);
  });

  test("report a driver's exit code as Apache's client does", async () => {
    const ended = await submit(["--class", "Pi", jarFor(spark), "exit"]);
    expect(ended).toMatchObject({ exit: 1 });
    expect(ended.stderr).toContain("Shutdown hook called before final status was reported");
  });
}

describeWith(newest)("a real YARN and HDFS", {}, () => {
  const spark = available(newest);
  const environment = () => environmentOf(spark);
  const usual = defaultArgs(spark);
  const submit = (args: readonly string[]): Promise<Outcome> =>
    run("spark-submit", [...usual, ...args], { env: environment() });

  test("continue after a submission, report the state, and kill the application", async () => {
    const args = ["--conf", "spark.yarn.submit.waitAppCompletion=false", "--class", "Pi", jarFor(spark), "wait"];
    const submitted = await submit(args);
    expect(submitted).toMatchObject({ exit: 0 });
    const id = idIn(submitted);
    const operate = (...operation: string[]) =>
      run("spark-submit", ["--master", "yarn", ...operation], { env: environment() });
    expect(await operate("--status", id)).toMatchObject({
      ...{ exit: 0, stderr: expect.stringMatching(/\(state: (ACCEPTED|RUNNING)\)/) },
    });
    expect(await operate("--kill", id)).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("is killed"),
    });
    expect(await operate("--status", id)).toMatchObject({
      ...{ exit: 0, stderr: expect.stringContaining("(state: KILLED)") },
    });
    expect((await operate("--status", "application_1_0001")).stderr).toContain("not found");
  });

  test("an interrupted submission does not end its application", async () => {
    const { child, ended } = start("spark-submit", [...usual, "--class", "Pi", jarFor(spark), "wait"], {
      env: environment(),
    });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      const isWaiting = stderr.includes("(state:");
      stderr += chunk;
      if (!isWaiting && stderr.includes("(state:")) child.kill("SIGINT");
    });
    expect(await ended).toMatchObject({ exit: 130 });
    const id = idIn({ stderr });
    expect(stderr).toContain(`--kill ${id}`);
    const killed = await run("spark-submit", ["--master", "yarn", "--kill", id], { env: environment() });
    expect(killed).toMatchObject({ exit: 0 });
  });

  test("report a read-only or full HDFS with a hint", async () => {
    const app = ["--class", "Pi", jarFor(spark)];
    await hadoop().command("safemode on");
    const readOnly = await submit(app);
    await hadoop().command("safemode off");
    expect(readOnly).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/SafeModeException[\s\S]*-safemode/),
    });
    const narrow = { ...environment(), HADOOP_USER_NAME: "narrow" };
    const asNarrow = (...args: string[]) =>
      run("spark-submit", [...usual, ...args, "--class", "Pi", jarFor(spark)], { env: narrow });
    expect((await asNarrow("--queue", "nowhere")).stderr).toContain("unknown queue: nowhere");
    await hadoop().command("quota /user/narrow 1");
    const full = await asNarrow();
    expect(full).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/DSQuotaExceeded[\s\S]*dfs -count/),
    });
    expect(full.stderr).toContain("Deleted staging directory");
  });

  test("an application continues, and its files are removed, when its submitter is killed", async () => {
    const { child, ended } = start("spark-submit", [...usual, "--class", "Pi", jarFor(spark)], {
      env: environment(),
    });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
      if (stderr.includes("(state: ACCEPTED)")) child.kill("SIGKILL");
    });
    await ended;
    const status = () =>
      run("spark-submit", ["--master", "yarn", "--status", idIn({ stderr })], { env: environment() });
    while (!(await status()).stderr.includes("(state: FINISHED)"));
    expect((await status()).stderr).toContain("final status: SUCCEEDED");
    const left = await hadoop().list(`/user/${userInfo().username}/.sparkStaging`);
    expect(left).toContain("FileStatuses");
    expect(left).not.toContain(idIn({ stderr }));
  });

  test("reject an invalid submission and keep no files", async () => {
    const queue = await submit(["--queue", "nowhere", "--class", "Pi", jarFor(spark)]);
    expect(queue).toMatchObject({ exit: 1, stderr: expect.stringContaining("unknown queue: nowhere") });
    expect(queue.stderr).toContain("Deleted staging directory");
    const memory = await submit(["--conf", "spark.driver.memory=9g", "--class", "Pi", jarFor(spark)]);
    expect(memory).toMatchObject({
      ...{ exit: 1, stderr: expect.stringContaining("Required AM memory (9216+921 MB)") },
    });
  });
});
