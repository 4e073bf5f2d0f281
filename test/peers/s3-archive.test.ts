import { expect } from "vitest";
import { start } from "../acceptance/programs.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { testWith } from "../test-with.ts";
import { moto, startMoto } from "./start-moto.ts";

const cluster = sparkCluster();
const script =
  'from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate().range(9).count()\nprint("counted")\n';

/** Reads the names of the applications that a history server shows. */
async function applicationsAt(url: string): Promise<readonly string[]> {
  const found: readonly { name: string }[] = JSON.parse(await (await fetch(`${url}/api/v1/applications`)).text());
  return found.map(({ name }) => name);
}

testWith(moto)(
  "a job writes its event log to a bucket, the cluster its bundle, and history serves the log",
  async () => {
    const { port, bucket } = await startMoto();
    await bucket.put("event-logs/", "");
    const store = { endpoint: `http://host.firesteel.internal:${port}`, "endpoint.region": "us-east-1" };
    const access = { "path.style.access": "true", "access.key": "planted-id", "secret.key": "planted-secret" };
    const settings = Object.entries({ ...store, ...access }).map(
      ([key, value]) => `spark.hadoop.fs.s3a.${key}=${value}`,
    );
    const { exit, stderr } = await cluster.submitScript(script, [
      ...settings,
      "spark.app.name=stored",
      "spark.jars.packages=org.apache.hadoop:hadoop-aws:3.5.0",
      "spark.eventLog.enabled=true",
      "spark.eventLog.dir=s3a://bucket/event-logs",
      "spark.firesteel.archive=s3a://bucket/bundles",
    ]);
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(/INFO Archive: Archived the application in s3a:\/\/bucket\/bundles\/spark-\w+\.tar\.gz\n/);
    const bundles: string[] = [];
    for await (const { key } of bucket.list("bundles/")) bundles.push(key);
    expect(bundles).toHaveLength(1);
    const properties = cluster.file("job.properties", settings.join("\n"));
    const args = ["--dir", "s3a://bucket/event-logs", "--properties-file", properties];
    const { child, ended } = start("firesteel", ["history", ...args], { env: cluster.env() });
    const url = await Promise.race([
      new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk).trim()))),
      ended.then((outcome) => Promise.reject(new Error(outcome.stderr))),
    ]);
    await expect.poll(() => applicationsAt(url), { timeout: 120_000 }).toEqual(["stored"]);
    child.kill("SIGINT");
    expect((await ended).exit).toBe(0);
  },
);

testWith(moto)(
  "wrong credentials change no exit code: the archive warns once, and history names the settings",
  async () => {
    const { port } = await startMoto({ INITIAL_NO_AUTH_ACTION_COUNT: "1" });
    const store = { endpoint: `http://host.firesteel.internal:${port}`, "endpoint.region": "us-east-1" };
    const access = { "path.style.access": "true", "access.key": "wrong-id", "secret.key": "planted-secret" };
    const settings = Object.entries({ ...store, ...access }).map(
      ([key, value]) => `spark.hadoop.fs.s3a.${key}=${value}`,
    );
    const archive = "spark.firesteel.archive=s3a://bucket/bundles";
    const { exit, stderr, stdout } = await cluster.submitScript(script, [...settings, archive]);
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain("counted");
    const warnings = stderr.split("\n").filter((text) => text.includes("WARN Archive"));
    expect(warnings).toEqual([
      expect.stringMatching(/in s3a:\/\/bucket\/bundles: .*403 InvalidAccessKeyId.* run: firesteel bundle /),
    ]);
    const properties = cluster.file("wrong.properties", settings.join("\n"));
    const served = await cluster.firesteel("history", "--dir", "s3a://bucket/logs", "--properties-file", properties);
    expect(served.exit).toBe(1);
    expect(served.stderr).toMatch(
      /\nError: Cannot serve the event logs in s3a:\/\/bucket\/logs: .*403.*\nHint: .*access\.key/,
    );
    expect(`${stderr}${served.stderr}`).not.toContain("planted-secret");
  },
);
