import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import type { ObservedPod } from "../observation.ts";
import {
  driverPod,
  ended,
  event,
  executorPod,
  failedDriver,
  instant,
  observe,
  type PodOptions,
  waiting,
} from "../test-observation.ts";

function reported(
  executors: readonly ObservedPod[],
  options: PodOptions = {},
  rest: Partial<Parameters<typeof observe>[0]> = {},
) {
  const driver = driverPod({ phase: "Running", states: { main: { running: {} } }, ...options });
  const found = diagnose(observe({ driver, executors, ...rest }));
  return found && { cause: found.cause, isTerminal: found.isTerminal, message: found.message, key: found.key };
}

const rejectionMatch = (what: string) =>
  `24/05/02 10:00:00 ERROR ExecutorPodsAllocator: Failed to create executor pod 1\nio.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST at: https://kubernetes.default.svc/api/v1/namespaces/team-a/pods. Message: ${what}. Received status: Status(apiVersion=v1, code=403)`;

describe("executors that the API rejects", () => {
  test.each([
    [
      'pods "x" is forbidden: exceeded quota: compute, requested: requests.cpu=4,pods=1, used: requests.cpu=14,pods=9, limited: requests.cpu=16,pods=20',
      "executor-quota-exceeded",
      "allowed requests.cpu=16,pods=20.",
    ],
    [
      'pods "x" is forbidden: exceeded quota: compute, requested: requests.cpu=100m, used: requests.cpu=100m, limited: requests.cpu=150m. Received status: Status(code=403)',
      "executor-quota-exceeded",
      "allowed requests.cpu=150m.",
    ],
    [
      'pods "x" is forbidden: error looking up service account team-a/workers: serviceaccount "workers" not found',
      "executor-account-missing",
      "workers",
    ],
    [
      'pods is forbidden: User "system:serviceaccount:team-a:default" cannot create resource "pods" in API group "" in the namespace "team-a"',
      "driver-forbidden",
      "may not create pods",
    ],
  ])("%s", (what, cause, expectedText) => {
    const found = reported([], { logs: { main: rejectionMatch(what) } });
    expect(found).toMatchObject({ cause });
    expect(found?.message).toContain(expectedText);
  });

  test("a missing permission to clean up at the end of a successful run is not a fault", () => {
    const log = rejectionMatch(
      'configmaps is forbidden: User "system:serviceaccount:team-a:spark" cannot deletecollection resource "configmaps" in API group ""',
    );
    expect(reported([], { logs: { main: log } })).toBeUndefined();
  });
});

describe("executors that fail", () => {
  const mismatch =
    "java.io.InvalidClassException: org.apache.spark.scheduler.Task; local class incompatible: stream classdesc serialVersionUID = 1, local class serialVersionUID = 2";

  test("because of another Spark version", () => {
    const executor = executorPod({
      image: "spark:4.0.1",
      states: { main: ended(1) },
      logs: { main: mismatch },
    });
    const found = reported([executor]);
    expect(found).toMatchObject({ cause: "executor-version-mismatch" });
    expect(found?.message).toContain("spark:4.0.1");
  });

  test("because they cannot reach the driver, but not if they lost it after a successful start", () => {
    const log = "Caused by: java.io.IOException: Failed to connect to report-driver-svc.team-a.svc/10.0.0.9:7078";
    const found = reported([executorPod({ states: { main: ended(1) }, logs: { main: log } })]);
    expect(found).toMatchObject({ cause: "executor-cannot-reach-driver" });
    expect(found?.message).toContain("report-driver-svc.team-a.svc");
    const registered = `INFO CoarseGrainedExecutorBackend: Successfully registered with driver\n${log}`;
    expect(
      reported([executorPod({ phase: "Running", states: { main: { running: {} } }, logs: { main: registered } })]),
    ).toBeUndefined();
  });

  test("because of their memory limit", () => {
    const spec = {
      containers: [{ name: "spark-kubernetes-executor", resources: { limits: { memory: "1408Mi" } } }],
    };
    const found = reported(
      [executorPod({ spec, states: { main: ended(137, { reason: "OOMKilled" }) } })],
      {},
      { properties: { "spark.executor.memory": "1g" } },
    );
    expect(found).toMatchObject({ cause: "executor-oom-killed", key: "spark.executor.memoryOverhead" });
    expect(found?.message).toContain("1408Mi");
  });

  test("because of a missing secret, as a variable or as a volume", () => {
    const variable = executorPod({
      states: { main: waiting("CreateContainerConfigError", 'secret "s3" not found') },
    });
    expect(reported([variable])).toMatchObject({
      cause: "executor-secret-missing",
      message: expect.stringContaining("s3"),
    });
    const volume = executorPod({ states: { main: waiting("ContainerCreating") } });
    const events = [
      event("FailedMount", 'MountVolume.SetUp failed for volume "s3-volume" : secret "s3" not found', {
        about: "report-exec-1",
        count: 3,
      }),
    ];
    expect(reported([volume], {}, { events })).toMatchObject({ cause: "executor-secret-missing" });
  });

  test("because no node fits them, unless another executor has a node and only has to start", () => {
    const waits = executorPod({
      name: "report-exec-2",
      status: {
        conditions: [
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            message: "0/1 nodes are available: 1 Insufficient cpu.",
          },
        ],
      },
    });
    const starts = executorPod({ spec: { nodeName: "n" }, states: { main: waiting("ContainerCreating") } });
    expect(reported([waits])).toMatchObject({ cause: "executor-unschedulable" });
    expect(reported([starts, waits])).toBeUndefined();
  });

  test("repeatedly, with the reason in their logs", () => {
    const log = "Unrecognized VM option 'UseParNewGC'\nError: Could not create the Java Virtual Machine.";
    const failed = ["report-exec-1", "report-exec-2"].map((name) =>
      executorPod({ name, states: { main: ended(1) }, logs: { main: log } }),
    );
    const found = reported(failed);
    expect(found).toMatchObject({
      cause: "executor-crash-loop",
      isTerminal: true,
      key: "spark.executor.extraJavaOptions",
    });
    expect(found?.message).toContain("UseParNewGC");
    expect(reported(failed.slice(0, 1))?.isTerminal).toBe(false);
  });

  test("until Spark reaches its maximum of failures", () => {
    const driver = failedDriver(
      "24/05/02 10:00:00 ERROR ExecutorPodsAllocator: Max number of executor failures (6) reached",
      11,
    );
    expect(diagnose(observe({ driver }))).toMatchObject({
      cause: "executor-crash-loop",
      message: expect.stringContaining("11"),
    });
  });
});

describe("executors that end normally are not reported", () => {
  const metadata = { deletionTimestamp: instant(10) };

  test.each([
    ["deleted", executorPod({ metadata, isDeleted: true, states: { main: ended(137) } })],
    ["asked to end", executorPod({ states: { main: ended(143) } })],
    ["done", executorPod({ phase: "Succeeded", states: { main: ended(0) } })],
    [
      "preempted",
      executorPod({
        states: { main: ended(137) },
        status: {
          conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }],
        },
      }),
    ],
    ["not begun", executorPod({ states: { main: waiting("ContainerCreating") } })],
  ])("%s", (_how, executor) => {
    expect(reported([executor])).toBeUndefined();
  });

  test("an exception of the application takes precedence over an earlier failure of an executor", () => {
    const driver = failedDriver(
      'Exception in thread "main" java.lang.IllegalStateException: bad input\n\tat com.example.Job.main(Job.java:5)',
    );
    const executors = [executorPod({ isDeleted: true, states: { main: ended(137, { reason: "OOMKilled" }) } })];
    expect(diagnose(observe({ driver, executors }))?.cause).toBe("application-exception");
  });
});
