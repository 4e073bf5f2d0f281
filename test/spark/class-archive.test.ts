import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "../../src/errors/codes.ts";
import { run, temporaryDirectory } from "../acceptance/programs.ts";
import { ownCache, sharedClasses } from "./shared-classes.ts";

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
