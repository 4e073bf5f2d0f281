import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "../../src/host/node-host.ts";
import { listSparks } from "../../src/spark/find-spark.ts";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import type { Outcome } from "../acceptance/programs.ts";
import { buildPiJar, type MiniHadoop } from "./mini-hadoop.ts";

/** The Sparks here of these lines. */
export function sparksOf(lines: readonly string[]): readonly SparkHome[] {
  const all = listSparks(nodeHost());
  return lines.flatMap((line) => all.find(({ version }) => version.startsWith(`${line}.`)) ?? []);
}

/** The environment of a submission to a mini cluster. */
export function environmentOf({ confFolder }: Pick<MiniHadoop, "confFolder">, { home, version }: SparkHome) {
  return {
    HADOOP_CONF_DIR: confFolder,
    SPARK_HOME: home,
    FIRESTEEL_SPARK_VERSION: version,
    SPARK_LOCAL_IP: "127.0.0.1",
  };
}

/** Small containers, with the Spark of this machine. */
export function usualOf({ home }: SparkHome): readonly string[] {
  return [
    ...["--master", "yarn", "--deploy-mode", "cluster"],
    ...["--conf", `spark.yarn.jars=local:${home}/jars/*`, "--num-executors", "1"],
    ...["--driver-memory", "512m", "--executor-memory", "512m", "--conf", "spark.yarn.maxAppAttempts=1"],
  ];
}

const jars = new Map<string, string>();

/** The application of these tests, for a Spark. */
export function jarFor({ folder }: Pick<MiniHadoop, "folder">, { home, version }: SparkHome): string {
  const jar = jars.get(version) ?? buildPiJar(home, mkdtempSync(join(folder, "pi-")));
  jars.set(version, jar);
  return jar;
}

/** The ID of the application that a submission told of. */
export function idIn({ stderr }: Pick<Outcome, "stderr">): string {
  return /application_\d+_\d+/.exec(stderr)?.[0] ?? "";
}
