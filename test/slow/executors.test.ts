import { expect, test } from "vitest";
import { executorScript } from "../spark/executor-script.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";

const cluster = sparkCluster();

test("an executor whose process is killed is replaced, and its task runs again", async () => {
  const { exit, stdout } = await cluster.submitScript(
    `${executorScript}
print("ran on", sc.parallelize([1], 1).map(die_first).collect())`,
    ["spark.executor.instances=1"],
  );
  expect(stdout).toMatch(/^ran on \['.*-exec-2'\]$/m);
  expect(stdout).toMatch(/Lost executor 1 on 127\.\S+: .*/);
  expect(exit).toBe(0);
});

test("executors are allocated on demand and removed when idle, even with shuffle data", async () => {
  const { exit, stdout } = await cluster.submitScript(
    `${executorScript}
def slow(part):
    time.sleep(3)
    return executor()

print("grown to", len(set(sc.parallelize(range(6), 6).map(slow).collect())) > 1)
print("counted", sc.parallelize(range(100), 4).map(lambda n: (n % 3, n)).reduceByKey(max).collect())
print("shrunk", wait_until(lambda: live() == 0))
print("grown again", len(sc.parallelize(range(2), 2).map(slow).collect()))`,
    [
      "spark.dynamicAllocation.enabled=true",
      "spark.dynamicAllocation.maxExecutors=2",
      "spark.dynamicAllocation.executorIdleTimeout=2s",
      "spark.dynamicAllocation.shuffleTracking.timeout=2s",
    ],
  );
  expect(stdout).toMatch(/^grown to True$/m);
  expect(stdout).toMatch(/^shrunk True$/m);
  expect(stdout).toMatch(/^grown again 2$/m);
  expect(exit).toBe(0);
});

test("a decommissioned executor is labeled, migrates its blocks, and ends", async () => {
  const { watch } = await cluster.api();
  let outcome: Awaited<ReturnType<typeof cluster.submitScript>> | undefined;
  const pods = "/api/v1/namespaces/default/pods?watch=true&labelSelector=going%3Dyes";
  const [labelled] = await watch(pods, 1, async () => {
    outcome = await cluster.submitScript(
      `${executorScript}
print("started", wait_until(lambda: live() == 2))
cached = sc.parallelize(range(100), 4).cache()
cached.count()
sc._jsc.sc().schedulerBackend().decommissionExecutor(
    "1", sc._jvm.org.apache.spark.scheduler.ExecutorDecommissionInfo("asked to", sc._jvm.scala.Option.empty()), False, False)
print("gone", wait_until(lambda: live() == 1))
print("still", cached.count())`,
      [
        "spark.executor.instances=2",
        "spark.decommission.enabled=true",
        "spark.storage.decommission.enabled=true",
        "spark.storage.decommission.rddBlocks.enabled=true",
        "spark.kubernetes.executor.decommissionLabel=going",
        "spark.kubernetes.executor.decommissionLabelValue=yes",
      ],
    );
  });
  expect(outcome?.stdout).toMatch(/^gone True$/m);
  expect(outcome?.stdout).toMatch(/^still 100$/m);
  expect(outcome?.exit).toBe(0);
  expect(labelled?.object.metadata.labels).toMatchObject({ "spark-exec-id": "1", going: "yes" });
});

test("the driver owns an executor's claim, and a later executor reuses it with its data", async () => {
  const volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.spark-local-dir-1";
  const { exit, stdout } = await cluster.submitScript(
    `${executorScript}
def leave(_):
    open("/data/note", "w").write("from " + executor())
def find(_):
    return open("/data/note").read(), executor()
sc.parallelize([1], 1).foreach(leave)
print("gone", wait_until(lambda: live() == 0))
# A new claim may still belong to an executor that is starting.
time.sleep(8)
print("found", sc.parallelize([1], 1).map(find).collect())`,
    [
      ...["spark.dynamicAllocation.enabled=true", "spark.dynamicAllocation.executorIdleTimeout=2s"],
      ...["spark.dynamicAllocation.maxExecutors=1", "spark.kubernetes.driver.ownPersistentVolumeClaim=true"],
      "spark.kubernetes.allocation.executor.timeout=6s",
      ...["spark.kubernetes.driver.reusePersistentVolumeClaim=true", `${volume}.options.claimName=OnDemand`],
      ...[`${volume}.options.sizeLimit=1Gi`, `${volume}.options.storageClass=standard`],
      ...[`${volume}.mount.path=/data`, `${volume}.mount.readOnly=false`],
    ],
  );
  expect(stdout).toMatch(/^found \[\('from \S+-exec-1', '\S+-exec-2'\)\]$/m);
  expect(stdout).toMatch(/Found 1 reusable PVCs/);
  expect(exit).toBe(0);
});

test.each(["statefulset", "deployment"])("executors are pods of a %s", async (allocator) => {
  const { exit, stdout } = await cluster.submitScript(
    `${executorScript}
print("started", wait_until(lambda: live() == 2))
print("ran on", sorted(set(sc.parallelize(range(40), 40).map(lambda _: (time.sleep(0.1), executor())[1]).collect())))`,
    ["spark.executor.instances=2", `spark.kubernetes.allocation.pods.allocator=${allocator}`],
  );
  expect(stdout).toMatch(/^started True$/m);
  const pods =
    allocator === "statefulset"
      ? /^ran on \['spark-s-\S+-0', 'spark-s-\S+-1'\]$/m
      : /^ran on \['spark-d-\S+', 'spark-d-\S+'\]$/m;
  expect(stdout).toMatch(pods);
  expect(exit).toBe(0);
});

test("pod templates add init containers and sidecars", async () => {
  const mounts = [{ name: "common", mountPath: "/common" }];
  const template = (side: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      spec: {
        volumes: [{ name: "common", emptyDir: {} }],
        initContainers: [
          {
            ...{ name: "first", image: "busybox", volumeMounts: mounts },
            command: ["sh", "-c", "echo prepared > /common/first"],
          },
        ],
        containers: [
          { name: "main", volumeMounts: mounts },
          { name: "side", image: "busybox", volumeMounts: mounts, command: ["sh", "-c", side] },
        ],
      },
    });
  // The driver's sidecar ends with it, because a pod ends when all its containers have ended.
  const waitForEnd = "echo beside > /common/side; until [ -e /common/over ]; do sleep 0.1; done";
  const { exit, stdout } = await cluster.submitScript(
    `${executorScript}
def read(_):
    wait_until(lambda: os.path.exists("/common/side"))
    return open("/common/first").read().strip(), open("/common/side").read().strip()
print("driver", read(0), "executor", sc.parallelize([1], 1).map(read).collect())
open("/common/over", "w")`,
    [
      "spark.executor.instances=1",
      `spark.kubernetes.driver.podTemplateFile=${cluster.file("driver.yaml", template(waitForEnd))}`,
      `spark.kubernetes.executor.podTemplateFile=${cluster.file("executor.yaml", template("echo beside > /common/side; sleep 600"))}`,
    ],
  );
  expect(stdout).toContain("driver ('prepared', 'beside') executor [('prepared', 'beside')]");
  expect(exit).toBe(0);
});
