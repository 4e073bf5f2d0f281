import { existsSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { run, temporaryDirectory, withSpark } from "../acceptance/programs.ts";

/** Environment with an own cache that has this machine's Spark and Java, and no class data archive. */
export function ownCache(): Record<string, string> {
  const { XDG_CACHE_HOME = join(homedir(), ".cache") } = process.env;
  const directory = temporaryDirectory();
  for (const name of ["spark", "java"]) {
    const source = join(XDG_CACHE_HOME, "firesteel", name);
    if (existsSync(source)) symlinkSync(source, join(directory, name));
  }
  return withSpark({ FIRESTEEL_CACHE: directory });
}

/** Runs Pi with one executor. @returns how many classes of Spark's jars each JVM took from the archive */
export async function sharedClasses(env: Record<string, string>): Promise<{ driver: number; executor: number }> {
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
