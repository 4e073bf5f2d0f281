import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import type { Outcome } from "../acceptance/programs.ts";
import type { Missing } from "../requirements.ts";
import { requires } from "../test-with.ts";
import type { Peer } from "./fetch-peer.ts";
import { buildPiJar, fetchMiniHadoop, type MiniHadoop, startMiniHadoop } from "./mini-hadoop.ts";

/** Starts a mini cluster for the tests of a file. Skips the tests without a mini cluster or Spark. */
export function hadoopForTests(
  spark: SparkHome | Missing,
  properties: Readonly<Record<string, string>>,
): () => MiniHadoop {
  let peer: Peer | Missing = { missing: "requires the mini cluster, which did not start" };
  let hadoop: MiniHadoop | undefined;
  beforeAll(async () => {
    peer = "missing" in spark ? spark : fetchMiniHadoop();
    if ("missing" in peer) return;
    hadoop = await startMiniHadoop(peer, properties);
  }, 1_200_000);
  afterAll(async () => {
    await hadoop?.stop();
  }, 600_000);
  beforeEach((context) => requires(peer)(context));
  return () => {
    if (hadoop === undefined) throw new Error("the mini cluster is not running");
    return hadoop;
  };
}

/** Builds the environment of a submission to a mini cluster. */
export function environmentOf({ confDirectory }: Pick<MiniHadoop, "confDirectory">, { home, version }: SparkHome) {
  return {
    HADOOP_CONF_DIR: confDirectory,
    SPARK_HOME: home,
    FIRESTEEL_SPARK_VERSION: version,
    SPARK_LOCAL_IP: "127.0.0.1",
  };
}

/** Builds arguments for small containers and the local Spark. */
export function defaultArgs({ home }: Pick<SparkHome, "home">): readonly string[] {
  return [
    ...["--master", "yarn", "--deploy-mode", "cluster"],
    ...["--conf", `spark.yarn.jars=local:${home}/jars/*`, "--num-executors", "1"],
    ...["--driver-memory", "512m", "--executor-memory", "512m", "--conf", "spark.yarn.maxAppAttempts=1"],
  ];
}

const jars = new Map<string, string>();

/** Returns the test application's jar for a Spark. */
export function jarFor({ directory }: Pick<MiniHadoop, "directory">, { home, version }: SparkHome): string {
  const jar = jars.get(version) ?? buildPiJar(home, mkdtempSync(join(directory, "pi-")));
  jars.set(version, jar);
  return jar;
}

/** Returns the application ID that a submission logged. */
export function idIn({ stderr }: Pick<Outcome, "stderr">): string {
  return /application_\d+_\d+/.exec(stderr)?.[0] ?? "";
}
