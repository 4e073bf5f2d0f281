import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledFiles } from "../acceptance/bundled-files.ts";
import { run, start, temporaryDirectory } from "../acceptance/programs.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();
/** Directory of the files that end jobs. It exists itself. */
const flags = join(cluster.directory, "flags");
mkdirSync(flags);

/** A job that prints a line, and ends when a file exists. */
const script = (end: string) => `
import os, time
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate().range(10).repartition(2).rdd.map(lambda row: row).count()
print("counted", flush=True)
while not os.path.exists("${end}"): time.sleep(0.1)
`;

/** Submits a job with one executor and an archive in `bundles` of the working directory. */
function submit(name: string, end: string, settings: readonly string[] = []) {
  const volume = "spark.kubernetes.driver.volumes.hostPath.end";
  const mount = [`${volume}.mount.path=${flags}`, `${volume}.options.path=${flags}`];
  const conf = ["spark.firesteel.archive=bundles", "spark.executor.instances=1", ...mount, ...settings];
  const args = ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--name", name, "--logs", "driver"];
  const job = cluster.file(`${name}.py`, script(end));
  const directory = temporaryDirectory();
  const program = start("spark-submit", [...args, ...conf.flatMap((one) => ["--conf", one]), job], {
    env: cluster.env(),
    cwd: directory,
  });
  return { ...program, bundles: join(directory, "bundles") };
}

type Submission = ReturnType<typeof submit>;

/** Kills the client when its driver has counted. */
async function killClient({ child, ended }: Submission): Promise<void> {
  const counted = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      if (String(chunk).includes("counted")) resolve();
    });
  });
  await Promise.race([counted, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  child.kill("SIGKILL");
  expect((await ended).exit).toBe("SIGKILL");
}

/** Waits for the only bundle in the directory. Returns its files, with the parts of names that differ replaced. */
async function archived({ bundles }: Submission) {
  const list = () => (existsSync(bundles) ? readdirSync(bundles).filter((name) => name.endsWith(".gz")) : []);
  await expect.poll(list, { timeout: 60_000 }).toHaveLength(1);
  const path = join(bundles, list()[0] ?? "");
  const files = await bundledFiles(path);
  const name = (file: string) => file.replace(/[a-z-]+-[0-9a-f]{16}/g, "NAME");
  return { path, files: Object.fromEntries(Object.entries(files).map(([file, text]) => [name(file), text])) };
}

const complete = [
  ...["bundle.json", "diagnosis.json", "events.json"],
  ...["logs/NAME-driver/spark-kubernetes-driver.log", "logs/NAME-exec-1/spark-kubernetes-executor.log"],
  ...["pods/NAME-driver.json", "pods/NAME-exec-1.json", "record.json"],
];

test("a submission that waits reports the bundle that the cluster wrote, with the logs of deleted executors", async () => {
  const submission = submit("waiting", flags);
  const { exit, stderr } = await submission.ended;
  expect(exit, stderr).toBe(0);
  const { path, files } = await archived(submission);
  expect(Object.keys(files).sort()).toEqual(complete);
  expect(stderr).toContain(`INFO Archive: Archived the application in ${path}\n`);
  expect(JSON.parse(files["bundle.json"] ?? "")).toMatchObject({ application: { phase: "Succeeded" }, missing: [] });
  const events = await cluster.firesteel("events", "last");
  expect(events.stdout).toMatch(/Normal +Archived +Pod\/waiting-\S+-driver +Archived the application in /);
  // Executors have a prefix of their own, and were deleted.
  expect(events.stdout).toMatch(/Started +Pod\/waiting-\S+-exec-1 /);
});

test("after the client is killed, the cluster writes the bundle at the driver's end, also of a killed driver", async () => {
  const end = join(flags, "end");
  const killed = submit("killed", end);
  await killClient(killed);
  const kill = ["--kill", "default:killed-*", "--master", "k8s://embedded"];
  expect(await run("spark-submit", kill, { env: cluster.env() })).toMatchObject({ exit: 0 });
  expect(Object.keys((await archived(killed)).files).sort()).toEqual(complete);
  const succeeding = submit("succeeding", end);
  await killClient(succeeding);
  mkdirSync(end);
  const { path, files } = await archived(succeeding);
  expect(Object.keys(files).sort()).toEqual(complete);
  expect(files["logs/NAME-driver/spark-kubernetes-driver.log"]).toContain("Successfully stopped SparkContext");
  const live = await cluster.firesteel("diagnose", "default:succeeding-*", "--json");
  const { exit, stdout } = await cluster.firesteel("diagnose", path, "--json");
  expect({ exit, stdout }).toEqual({ exit: live.exit, stdout: live.stdout });
});

test("a submission that does not wait is archived, without a warning", async () => {
  const submission = submit("leaving", flags, ["spark.kubernetes.submission.waitAppCompletion=false"]);
  const { exit, stderr } = await submission.ended;
  expect(exit).toBe(0);
  expect(stderr).not.toContain("spark.firesteel.archive");
  expect(Object.keys((await archived(submission)).files).sort()).toEqual(complete);
});

test("pvc: receives the bundle through a pod that is deleted, beside a pod of a similar name", async () => {
  const { call } = await cluster.api();
  const namespace = "/api/v1/namespaces/default";
  const claim = {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "bundles" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Mi" } } },
  };
  expect(await call("POST", `${namespace}/persistentvolumeclaims`, claim)).toMatchObject({ status: 201 });
  const other = {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "claimed-archive" } },
    spec: { nodeSelector: { on: "no-node" }, containers: [{ name: "c", image: "spark:4.3.0" }] },
  };
  expect(await call("POST", `${namespace}/pods`, other)).toMatchObject({ status: 201 });
  const settings = ["spark.kubernetes.driver.pod.name=claimed", "spark.firesteel.archive=pvc:bundles/a/b"];
  const { exit, stderr } = await submit("claimed", flags, settings).ended;
  expect(exit, stderr).toBe(0);
  const [, name = ""] = /Archived the application in pvc:bundles\/a\/b\/(\S+)\n/.exec(stderr) ?? [];
  const claims = join(cluster.directory, "state", "clusters", "default", "data", "claims");
  const [volume = ""] = readdirSync(claims);
  const files = await bundledFiles(join(claims, volume, "a", "b", name));
  expect(JSON.parse(files["bundle.json"] ?? "")).toMatchObject({ application: { driver: "claimed" }, missing: [] });
  const { body } = await call("GET", `${namespace}/pods`);
  const names = body.items.map(({ metadata }) => metadata.name ?? "");
  expect(names.filter((pod) => pod.startsWith("claimed-"))).toEqual(["claimed-archive"]);
});

test("a claim that does not exist is reported once, and does not change the exit code", async () => {
  const { exit, stderr } = await submit("unclaimed", flags, ["spark.firesteel.archive=pvc:gone/a"]).ended;
  expect(exit, stderr).toBe(0);
  expect(stderr.match(/WARN Archive: .*/g)).toEqual([
    expect.stringMatching(
      /in pvc:gone\/a: persistentvolumeclaim "gone" not found\. To make the bundle .*, run: firesteel bundle default:unclaimed-/,
    ),
  ]);
});
