import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "../../src/errors/codes.ts";
import { run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";

/** Environment with an own cache that has this machine's Spark and Java, and no class data archive. */
function ownCache(): Record<string, string> {
  const { XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const directory = temporaryDirectory();
  for (const name of ["spark", "java"]) {
    const source = join(XDG_CACHE_HOME, "firesteel", name);
    if (existsSync(source)) symlinkSync(source, join(directory, name));
  }
  return withSpark({ FIRESTEEL_CACHE: directory });
}

/** Runs Pi with one executor. @returns how many classes of Spark's jars each JVM took from the archive */
async function sharedClasses(env: Record<string, string>): Promise<{ driver: number; executor: number }> {
  const options = ["driver", "executor"].flatMap((role) => [
    "--conf",
    `spark.${role}.extraJavaOptions=-Xlog:class+load`,
  ]);
  const { exit, stdout, stderr } = await run(
    "spark-submit",
    [
      ...["--master", "k8s://embedded", "--deploy-mode", "cluster", "--logs", "all", ...options],
      ...["--conf", "spark.executor.instances=1", "local:///opt/spark/examples/src/main/python/pi.py", "2"],
    ],
    { env },
  );
  expect(exit, stderr).toBe(0);
  expect(stdout).toMatch(/^Pi is roughly 3\.1/m);
  const count = (prefix: string) =>
    stdout.match(new RegExp(`^${prefix}.* source: shared objects file \\(top\\)$`, "gm"));
  const executor = count(String.raw`\[executor 1\] `)?.length ?? 0;
  return { driver: (count("")?.length ?? 0) - executor, executor };
}

test("Spark takes its classes from an archive that is made once", { timeout: 600_000 }, async () => {
  const env = ownCache();
  const archives = join(env["FIRESTEEL_CACHE"] ?? "", "class-sharing");
  const prepare = () => run("firesteel", ["spark", "prepare"], { env });

  const first = await prepare();
  expect(first, first.stderr).toMatchObject({ exit: 0, stdout: expect.stringContaining(archives) });
  const directory = first.stdout.trim();
  const { ino } = statSync(join(directory, "spark.jsa"));
  expect(await prepare()).toMatchObject({ exit: 0, stdout: first.stdout, stderr: "" });
  expect(statSync(join(directory, "spark.jsa")).ino).toBe(ino);
  expect(readdirSync(archives)).toHaveLength(1);

  const { driver, executor } = await sharedClasses(env);
  expect(driver).toBeGreaterThan(8000);
  expect(executor).toBeGreaterThan(4000);
});

test("a Spark that does not start leaves no archive, with Java's reason", async () => {
  const home = temporaryDirectory();
  for (const name of ["bin", "jars"]) mkdirSync(join(home, name));
  writeFileSync(join(home, "bin", "spark-submit"), "");
  writeFileSync(join(home, "jars", "spark-core_2.13-4.3.0.jar"), "");
  const env: Record<string, string> = { ...ownCache(), SPARK_HOME: home };
  const { exit, stdout, stderr } = await run("firesteel", ["spark", "prepare", "4.3.0"], { env });
  const reason = "Caused by: java.lang.ClassNotFoundException: org.apache.spark.launcher.Main";
  expect(stderr).toContain(errorCodes.SUBMIT_ERR_CLASS_ARCHIVE.text({ version: "4.3.0", reason }));
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(readdirSync(join(env["FIRESTEEL_CACHE"] ?? "", "class-sharing"))).toEqual([]);
});
