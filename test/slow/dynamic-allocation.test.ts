import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { SparkHome } from "../../src/spark/spark-home.ts";
import { start } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { allocationJob, allocationSettings, sharedDirectory } from "../spark/allocation-job.ts";
import { hasPrinted } from "../spark/has-printed.ts";
import { waitingLine } from "../spark/shuffle-job.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith } from "../test-with.ts";

const cluster = sparkCluster();
const shared = join(cluster.directory, "shared");

/** Executors run as another user. */
beforeAll(() => {
  mkdirSync(shared);
  chmodSync(shared, 0o777);
});

interface Job {
  readonly name: string;
  /** Deploy mode of the driver; by default, `cluster`. */
  readonly mode?: "client" | "cluster";
  /** Settings, `key=value`, besides those of all jobs. */
  readonly settings: readonly string[];
  /** Script. `wait_for_event()` returns after the event. */
  readonly body: string;
  /** Event that happens while the script waits for it. */
  readonly event?: () => Promise<void>;
  /** Values that the script prints, by their names. */
  readonly prints: Readonly<Record<string, unknown>>;
}

const allocation = "spark.dynamicAllocation";
/** Settings of a kind of dynamic allocation. */
const kind = (profile: string, maxExecutors: number) => [
  ...[`spark.firesteel.shuffle=${profile}`, `${allocation}.maxExecutors=${maxExecutors}`],
];
const fallbackStorage = `spark.storage.decommission.fallbackStorage.path=file://${shared}/`;
const neverIdle = `${allocation}.executorIdleTimeout=600s`;

/** Runs a shuffle with as many executors as possible. */
const shuffle = (executors: number, parts: number) => `
print("grown", len(held("first", ${executors})))
kept = totals(${parts})
print("right", sorted(kept.collect()) == expected)
`;
const shuffled = (executors: number) => ({ grown: String(executors), right: "True" });
/** Reads the map output of the shuffle again. */
const readAgain = `print("again", sorted(kept.collect()) == expected)`;
const killExecutors = `print("killed", sc.parallelize(range(live()), live()).map(die_first).count() > 0)`;

/** Kills all executors without notice. */
const loss = (profile: string): Job => ({
  name: `with ${profile}, runs the map tasks of killed executors again`,
  settings: [...kind(profile, 2), neverIdle],
  body: `${shuffle(2, 4)}\n${killExecutors}\n${readAgain}`,
  prints: { ...shuffled(2), killed: "True", again: "True", "map tasks": expect.stringMatching(/^[5-8]$/) },
});

const jobs: readonly Job[] = [
  {
    name: "requests 1, 2, 4 and 8 executors while tasks wait, and removes all when they are idle",
    settings: kind("tracking", 15),
    body: `
log_of("ExecutorAllocationManager")
print("grown", len(held("first", 15)))
print("idle", wait_until(lambda: live() == 0, 120))`,
    prints: { grown: "15", idle: "True", "executors added": "15", requests: "1 2 4 8" },
  },
  {
    name: "keeps an executor with a cached block until the block is removed",
    settings: kind("tracking", 2),
    body: `
cached = sc.parallelize([1], 1).map(lambda _: executor()).cache()
print("grown", len(held("first", 2)))
computed = cached.collect()
print("kept", wait_until(lambda: live() == 1, 120))
print("again", cached.collect() == computed)
cached.unpersist(True)
print("removed", wait_until(lambda: live() == 0, 120))`,
    prints: { grown: "2", kept: "True", again: "True", removed: "True" },
  },
  {
    name: "with tracking, keeps executors whose map output a job can still read",
    settings: kind("tracking", 3),
    body: `${shuffle(3, 2)}
# The executor without map output is removed.
print("idle", wait_until(lambda: live() <= 2, 120))
print("kept", live() > 0)
${readAgain}`,
    prints: { ...shuffled(3), idle: "True", kept: "True", again: "True", "map tasks": "2" },
  },
  {
    name: "with decommission, moves map output and cached blocks to the executor that stays",
    settings: [...kind("decommission", 3), `${allocation}.cachedExecutorIdleTimeout=2s`],
    body: `${shuffle(3, 6)}
cached = sc.parallelize(range(6), 6).map(lambda _: executor()).cache()
computed = cached.collect()
print("spread", len(set(computed)) > 1)
print("idle", wait_until(lambda: live() == 1, 180))
${readAgain}
print("cached", cached.collect() == computed)`,
    prints: { ...shuffled(3), spread: "True", idle: "True", again: "True", cached: "True", "map tasks": "6" },
  },
  {
    name: "with a fallback storage, keeps the map output when no executor is left, and when later ones are killed",
    settings: [...kind("decommission", 3), fallbackStorage],
    body: `${shuffle(3, 6)}
print("idle", wait_until(lambda: live() == 0, 180))
${readAgain}
${killExecutors}
print("after", sorted(kept.collect()) == expected)`,
    prints: { ...shuffled(3), idle: "True", again: "True", killed: "True", after: "True", "map tasks": "6" },
  },
  loss("tracking"),
  loss("decommission"),
  {
    name: "moves the map output of executors whose pods are deleted, as when their node is drained",
    settings: [...kind("decommission", 2), fallbackStorage, neverIdle],
    body: `${shuffle(2, 4)}
print("event", wait_for_event())
print("gone", wait_until(lambda: live() == 0, 180))
${readAgain}`,
    async event() {
      const { call } = await cluster.api();
      const executors = "/api/v1/namespaces/default/pods?labelSelector=spark-role%3Dexecutor";
      expect((await call("DELETE", `${executors}&gracePeriodSeconds=120`)).status).toBe(200);
    },
    prints: { ...shuffled(2), event: "True", gone: "True", again: "True", "map tasks": "4" },
  },
  {
    // The cluster has one node, so the driver is outside.
    name: "runs the map tasks of a lost node again on the node that replaces it",
    mode: "client",
    settings: [...kind("tracking", 2), neverIdle, `spark.eventLog.dir=${shared}`],
    body: `${shuffle(2, 4)}
print("event", wait_for_event())
${readAgain}`,
    async event() {
      for (const command of [["lose-node", "--gone"], ["return-node"]])
        expect(await cluster.firesteel("cluster", "chaos", ...command)).toMatchObject({ exit: 0 });
    },
    prints: { ...shuffled(2), event: "True", again: "True", "map tasks": expect.stringMatching(/^[5-8]$/) },
  },
];

/** Finds a value that a script or the driver's log prints. */
function printedValue(name: string, output: string): string | undefined {
  if (name !== "requests") return new RegExp(`^${name} (.*)$`, "m").exec(output)?.[1];
  const requests = output.matchAll(/Requesting (\d+) new executors? because tasks are backlogged/g);
  return [...requests].map(([, count]) => count).join(" ");
}

/** Runs a job until its end. Returns what it prints. */
async function run({ version, home }: SparkHome, { mode = "cluster", settings, body, event }: Job): Promise<string> {
  const goOn = join(shared, randomUUID());
  const script = `
def wait_for_event():
    print("${waitingLine}", flush=True)
    return wait_until(lambda: os.path.exists("${goOn}"), 300)
${body}`;
  const conf = [
    ...[`spark.kubernetes.container.image=apache/spark:${version}`, ...allocationSettings],
    ...[...sharedDirectory(shared), ...settings],
  ].flatMap((setting) => ["--conf", setting]);
  const { child, ended } = start(
    "spark-submit",
    [
      ...["--master", "k8s://embedded", "--deploy-mode", mode],
      ...(mode === "cluster" ? ["--logs", "driver"] : []),
      ...[...conf, cluster.file(`${randomUUID()}.py`, allocationJob(shared, script))],
    ],
    { env: { ...cluster.env(), SPARK_HOME: home }, cwd: cluster.directory },
  );
  if (await hasPrinted(child, waitingLine)) await event?.();
  writeFileSync(goOn, "");
  const { exit, stdout, stderr } = await ended;
  expect(exit, stderr).toBe(0);
  return stdout;
}

for (const line of ["3.5", "4.3"]) {
  const spark = sparkOf(line);
  describeWith(spark)(`Spark ${line}`, {}, () => {
    for (const job of jobs) {
      test(job.name, async () => {
        const output = await run(available(spark), job);
        const printed = Object.keys(job.prints).map((name) => [name, printedValue(name, output)]);
        expect(Object.fromEntries(printed)).toEqual(job.prints);
      });
    }
  });
}
