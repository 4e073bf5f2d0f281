import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { listDistributions } from "../../src/spark/find-spark.ts";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import type { Outcome } from "../acceptance/programs.ts";
import type { Peer } from "./fetch-peer.ts";
import { buildPiJar, fetchMiniHadoop, type MiniHadoop, startMiniHadoop } from "./mini-hadoop.ts";

/** The Sparks here of these lines. */
export function sparksOf(lines: readonly string[]): readonly SparkHome[] {
  const all = listDistributions(nodeHost());
  return lines.flatMap((line) => all.find(({ version }) => version.startsWith(`${line}.`)) ?? []);
}

/** Starts a mini cluster for the tests of a file, which are skipped where there is none, or no Spark; gives it while they run. */
export function hadoopForTests(
  spark: SparkHome | undefined,
  properties: Readonly<Record<string, string>>,
): () => MiniHadoop {
  let peer: Peer = { missing: "no Spark is here: firesteel spark install 4.3, or SPARK_HOME" };
  let hadoop: MiniHadoop | undefined;
  beforeAll(async () => {
    if (spark === undefined) return;
    peer = fetchMiniHadoop();
    if ("missing" in peer) return;
    hadoop = await startMiniHadoop(peer, properties);
  }, 1_200_000);
  afterAll(async () => {
    await hadoop?.stop();
  }, 600_000);
  beforeEach(({ skip }) => skip("missing" in peer, "missing" in peer ? `YARN: ${peer.missing}` : ""));
  return () => {
    if (hadoop === undefined) throw new Error("the mini cluster is not there");
    return hadoop;
  };
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
