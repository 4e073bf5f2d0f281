import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { available } from "../requirements.ts";
import { allocationJob, allocationSettings, sharedDirectory } from "../spark/allocation-job.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const cluster = sparkCluster();
const shared = join(cluster.directory, "shared");

/** Executors run as another user. */
beforeAll(() => {
  mkdirSync(shared);
  chmodSync(shared, 0o777);
});

const profile = "spark.firesteel.shuffle";
const allocation = "spark.dynamicAllocation";
const fallbackStorage = `spark.storage.decommission.fallbackStorage.path=file://${shared}/`;

describe.each(["3.5", "4.3"])("Spark %s", (line) => {
  const spark = sparkOf(line);

  /** Runs a job until its end. Returns what it prints. */
  async function run(body: string, settings: readonly string[]): Promise<string> {
    const { version } = available(spark);
    const { exit, stdout, stderr } = await cluster.submitScript(allocationJob(shared, body), [
      `spark.kubernetes.container.image=apache/spark:${version}-scala2.13-java17-python3-ubuntu`,
      ...allocationSettings,
      ...sharedDirectory(shared),
      ...settings,
    ]);
    expect(exit, stderr).toBe(0);
    return stdout;
  }

  test("requests 1, 2, 4 and 8 executors while tasks wait, and removes all when they are idle", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
log_of("ExecutorAllocationManager")
print("at once", len(held("wide", 15)))
print("idle", wait_until(lambda: live() == 0, 120))`,
      [`${profile}=tracking`, `${allocation}.maxExecutors=15`],
    );
    const requests = [...output.matchAll(/Requesting (\d+) new executors? because tasks are backlogged/g)];
    expect(requests.map(([, count]) => Number(count))).toEqual([1, 2, 4, 8]);
    expect(output).toMatch(/^at once 15$/m);
    expect(output).toMatch(/^idle True$/m);
    expect(output).toMatch(/^executors added 15$/m);
  });

  test("keeps an executor with a cached block, until the block is removed", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
cached = sc.parallelize([1], 1).map(lambda _: executor()).cache()
print("grown", len(held("cached", 2)))
first = cached.collect()
print("kept", wait_until(lambda: live() == 1, 120), cached.collect() == first)
cached.unpersist(True)
print("removed", wait_until(lambda: live() == 0, 120))`,
      [`${profile}=tracking`, `${allocation}.maxExecutors=2`],
    );
    expect(output).toMatch(/^grown 2$/m);
    expect(output).toMatch(/^kept True True$/m);
    expect(output).toMatch(/^removed True$/m);
  });

  test("tracking keeps executors whose map output a job can still read", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
print("grown", len(held("tracked", 3)))
kept = totals(2)
print("right", sorted(kept.collect()) == expected)
# Executors without map output are removed.
print("idle", wait_until(lambda: live() <= 2, 120), live() > 0)
print("again", sorted(kept.collect()) == expected)`,
      [`${profile}=tracking`, `${allocation}.maxExecutors=3`],
    );
    expect(output).toMatch(/^right True$/m);
    expect(output).toMatch(/^idle True True$/m);
    expect(output).toMatch(/^again True$/m);
    expect(output).toMatch(/^map tasks 2$/m);
  });

  test("decommissioned executors move map output and cached blocks to the one that stays", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
print("grown", len(held("moved", 3)))
kept = totals(6)
cached = sc.parallelize(range(6), 6).map(lambda _: executor()).cache()
print("right", sorted(kept.collect()) == expected)
computed = cached.collect()
print("spread", len(set(computed)) > 1)
print("idle", wait_until(lambda: live() == 1, 180))
print("again", sorted(kept.collect()) == expected, cached.collect() == computed)`,
      [`${profile}=decommission`, `${allocation}.maxExecutors=3`],
    );
    expect(output).toMatch(/^grown 3$/m);
    expect(output).toMatch(/^right True$/m);
    expect(output).toMatch(/^spread True$/m);
    expect(output).toMatch(/^idle True$/m);
    expect(output).toMatch(/^again True True$/m);
    expect(output).toMatch(/^map tasks 6$/m);
  });

  test("the fallback storage has the map output when no executor is left", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
print("grown", len(held("fallback", 3)))
kept = totals(6)
print("right", sorted(kept.collect()) == expected)
print("idle", wait_until(lambda: live() == 0, 180))
print("again", sorted(kept.collect()) == expected)
print("killed", sc.parallelize(range(live()), live()).map(die_first).count() > 0)
print("after loss", sorted(kept.collect()) == expected)`,
      [`${profile}=decommission`, `${allocation}.maxExecutors=3`, fallbackStorage],
    );
    expect(output).toMatch(/^right True$/m);
    expect(output).toMatch(/^idle True$/m);
    expect(output).toMatch(/^again True$/m);
    expect(output).toMatch(/^killed True$/m);
    expect(output).toMatch(/^after loss True$/m);
    expect(output).toMatch(/^map tasks 6$/m);
  });

  // The embedded cluster has one node: with it, all executors end at once, without notice.
  test.each(["tracking", "decommission"])(
    "with %s, a job is right although all its executors are killed, and runs lost map tasks again",
    async (kind) => {
      const output = await run(
        `
print("grown", len(held("lost-${kind}", 2)))
kept = totals(4)
print("right", sorted(kept.collect()) == expected)
print("killed", sc.parallelize(range(live()), live()).map(die_first).count() > 0)
print("after loss", sorted(kept.collect()) == expected)`,
        [`${profile}=${kind}`, `${allocation}.maxExecutors=2`, `${allocation}.executorIdleTimeout=60s`],
      );
      expect(output).toMatch(/^right True$/m);
      expect(output).toMatch(/^after loss True$/m);
      expect(output).toMatch(/^map tasks [5-8]$/m);
    },
  );

  test("executors whose pods are deleted, as when their node is drained, move their map output first", async (context) => {
    requires(spark)(context);
    const output = await run(
      `
print("grown", len(held("drained", 2)))
kept = totals(4)
print("right", sorted(kept.collect()) == expected)
${deleteExecutors}
print("gone", wait_until(lambda: live() == 0, 180))
print("again", sorted(kept.collect()) == expected)`,
      [
        ...[`${profile}=decommission`, `${allocation}.maxExecutors=2`, fallbackStorage],
        `${allocation}.executorIdleTimeout=600s`,
      ],
    );
    expect(output).toMatch(/^right True$/m);
    expect(output).toMatch(/^gone True$/m);
    expect(output).toMatch(/^again True$/m);
    expect(output).toMatch(/^map tasks 4$/m);
  });
});

/** Deletes the pods of all executors through the API, with the driver's service account. */
const deleteExecutors = `
import ssl, urllib.request
account = "/var/run/secrets/kubernetes.io/serviceaccount/"
namespace = open(account + "namespace").read()
selector = "spark-role%3Dexecutor,spark-app-selector%3D" + sc.getConf().get("spark.app.id")
request = urllib.request.Request(
    "https://kubernetes.default.svc/api/v1/namespaces/%s/pods?labelSelector=%s&gracePeriodSeconds=120" % (namespace, selector),
    method="DELETE", headers={"Authorization": "Bearer " + open(account + "token").read()})
urllib.request.urlopen(request, context=ssl.create_default_context(cafile=account + "ca.crt")).read()`;
