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

  test.each([
    ["default", "edit, such as spark on an embedded cluster, or grant create on pods to the account default."],
    ["etl", "edit, or grant create on pods to the account etl."],
  ])("a missing permission of the account %s names the setting", (account, end) => {
    const user = `system:serviceaccount:team-a:${account}`;
    const log = rejectionMatch(`pods is forbidden: User "${user}" cannot create resource "pods" in API group ""`);
    const setting = "spark.kubernetes.authenticate.driver.serviceAccountName";
    const nextStep = `Set ${setting} to an account that has the role ${end}`;
    const driver = driverPod({ phase: "Running", states: { main: { running: {} } }, logs: { main: log } });
    expect(diagnose(observe({ driver }))).toMatchObject({ nextStep });
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

  const selfExit =
    "ERROR CoarseGrainedExecutorBackend: Executor self-exiting due to : Unable to create executor due to Unable to register with external shuffle server due to : ";

  test("name the shuffle service that they look for at their own address", () => {
    const log = `26/11/28 21:00:00 ${selfExit}Failed to connect to /10.1.2.3:7337`;
    const executor = executorPod({ states: { main: ended(1) }, logs: { main: log } });
    const found = reported([executor], {}, { properties: { "spark.shuffle.service.enabled": "true" } });
    expect(found).toMatchObject({
      cause: "executor-shuffle-service-missing",
      key: "spark.shuffle.service.enabled",
      message:
        "Executors end because they cannot register with a shuffle service at their own address (Failed to connect to /10.1.2.3:7337), because spark.shuffle.service.enabled is true.",
    });
  });

  test.each([
    [
      "java.lang.RuntimeException: java.lang.IllegalArgumentException: localDirs entry is not under any of the service's local directories: /var/data/spark-1/blockmgr-2",
      "rejects their local directories (localDirs entry is not under any of the service's local directories: /var/data/spark-1/blockmgr-2)",
      "spark.firesteel.shuffle.directories",
    ],
    [
      "java.lang.RuntimeException: java.lang.IllegalArgumentException: Authentication failed.",
      "cannot authenticate to the shuffle service on their node (Authentication failed)",
      "spark.authenticate",
    ],
  ])("explain that the shuffle service rejects them: %s", (reason, text, key) => {
    const executor = executorPod({ states: { main: ended(1) }, logs: { main: selfExit + reason } });
    const found = reported([executor]);
    expect(found).toMatchObject({ cause: "executor-shuffle-service-missing", key });
    expect(found?.message).toContain(text);
  });

  test("are not reported while they try to register again", () => {
    const log =
      "ERROR BlockManager: Failed to connect to external shuffle server, will retry 2 more times after waiting 5000 ms...";
    expect(reported([executorPod({ logs: { main: log } })])?.cause).not.toBe("executor-shuffle-service-missing");
  });

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

describe("an executor that was killed at its memory limit is the cause of a failed job", () => {
  const spec = {
    containers: [{ name: "spark-kubernetes-executor", image: "i", resources: { limits: { memory: "1408Mi" } } }],
  };
  const killed = (isDeleted: boolean) =>
    executorPod({ isDeleted, spec, states: { main: ended(137, { reason: "OOMKilled" }) } });
  const python = (task: string) =>
    [
      "Traceback (most recent call last):",
      '  File "/opt/app/job.py", line 12, in <module>',
      "    frame.count()",
      "py4j.protocol.Py4JJavaError: An error occurred while calling o60.count.",
      `: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 9) (10.1.0.5 executor 2): ${task}`,
      "\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.$anonfun$applyOrElse$1(PythonRunner.scala:612)",
    ].join("\n");
  const java = (task: string) =>
    `Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: ${task}\n\tat com.example.Report.main(Report.java:14)`;

  test.each([
    ["a Python worker", python("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)")],
    ["a lost executor", python("ExecutorLostFailure (executor 2 exited caused by one of the running tasks)")],
    [
      "missing shuffle files",
      java(
        "ShuffleMapStage 5 has failed the maximum allowable number of times: 4. Most recent failure reason: org.apache.spark.shuffle.FetchFailedException",
      ),
    ],
    [
      "missing outputs",
      java("org.apache.spark.shuffle.MetadataFetchFailedException: Missing an output location for shuffle 0"),
    ],
  ])("which reports %s", (_, log) => {
    for (const isDeleted of [false, true]) {
      const found = diagnose(observe({ driver: failedDriver(log), executors: [killed(isDeleted), executorPod()] }));
      expect(found).toMatchObject({ cause: "executor-oom-killed", key: "spark.executor.memoryOverhead" });
      expect(found?.message).toBe(
        "An executor was killed (OOMKilled, exit status 137): over the memory limit of 1408Mi (heap 1g, the rest, 384 MiB, overhead); the job was aborted for that.",
      );
      expect(found?.nextStep).toContain("Raise spark.executor.memoryOverhead to 768m or more");
      expect(found?.evidence.map(({ in: source }) => source)).toEqual(["executor", "log"]);
    }
  });

  test("also if only the driver's log shows it", () => {
    const report =
      "26/01/02 03:04:05 ERROR TaskSchedulerImpl: Lost executor 2 on 10.1.0.5: \nThe executor with id 2 exited with exit code 137(SIGKILL, possible container OOM).";
    const log = `${report}\n${python("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)")}`;
    const found = diagnose(observe({ driver: failedDriver(log) }));
    expect(found).toMatchObject({ cause: "executor-oom-killed", nextStep: "Raise spark.executor.memoryOverhead." });
    expect(found?.evidence[0]?.text).toContain("exit code 137(SIGKILL");
  });

  test("but not of another exception, and a Python worker can crash without it", () => {
    const other = diagnose(observe({ driver: failedDriver(python("KeyError: 'a'")), executors: [killed(false)] }));
    expect(other?.cause).toBe("application-exception");
    const crash = python("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)");
    expect(diagnose(observe({ driver: failedDriver(crash), executors: [executorPod()] }))?.cause).toBe(
      "python-worker-crashed",
    );
  });
});
