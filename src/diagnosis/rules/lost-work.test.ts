import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, executorPod, failedDriver, observe } from "../test-observation.ts";

const python = (error: string) =>
  `Traceback (most recent call last):\n  File "/app/job.py", line 3, in <module>\n    run()\npy4j.protocol.Py4JJavaError: An error occurred while calling o1.x.\n: org.apache.spark.SparkException: Job aborted due to stage failure: ${error}\n\tat a.B.c(B.java:1)`;

const running = () => driverPod({ phase: "Running", states: { main: { running: {} } } });

describe("a job that was aborted because executors ended", () => {
  test.each([
    [
      "Task 0 in stage 0.0 failed 4 times: Lost task 0.3 (TID 3) (10.0.0.1 executor 1): org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
      "python-worker-crashed",
      "spark.executor.memoryOverhead",
    ],
    [
      "ShuffleMapStage 5 has failed the maximum allowable number of times: 4. Most recent failure reason: org.apache.spark.shuffle.FetchFailedException",
      "shuffle-lost",
      "spark.firesteel.shuffle",
    ],
    [
      "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: Command exited with code 137",
      "executor-lost",
      undefined,
    ],
    [
      "Task 0 in stage 0.0 failed 4 times: Lost task 0.3 (TID 3) (10.0.0.1 executor 1): java.lang.OutOfMemoryError: Java heap space",
      "executor-heap-space",
      "spark.executor.memory",
    ],
    [
      "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: exited with exit code 52(JVM OOM)",
      "executor-heap-space",
      "spark.executor.memory",
    ],
  ])("%s", (error, cause, key) => {
    const found = diagnose(observe({ driver: failedDriver(python(error)) }));
    expect(found).toMatchObject({ cause, isTerminal: true });
    expect(found?.key).toBe(key);
  });

  test("a killed executor is not out of memory if its status is known, although Spark says that it may be", () => {
    const log = `26/01/02 03:04:05 ERROR TaskSchedulerImpl: Lost executor 1 on 10.1.0.5: \nThe executor with id 1 exited with exit code 137(SIGKILL, possible container OOM).\n${python("ExecutorLostFailure (executor 1 exited caused by one of the running tasks)")}`;
    const executor = executorPod({ phase: "Failed", states: { main: ended(137) } });
    expect(diagnose(observe({ driver: failedDriver(log), executors: [executor] }))?.cause).toBe("executor-lost");
  });

  test("executors that the kubelet evicts are reported, as resolvable while the driver runs", () => {
    const message = 'Usage of EmptyDir volume "spark-local-dir-1" exceeds the limit "8Mi". ';
    const executor = executorPod({ phase: "Failed", status: { phase: "Failed", reason: "Evicted", message } });
    const found = diagnose(observe({ driver: running(), executors: [executor] }));
    expect(found).toMatchObject({ cause: "executor-evicted", isTerminal: false });
    expect(found?.message).toContain("exceeds the limit");
    expect(found?.nextStep).toContain("spark-local-dir-");
  });
});

describe("executors that the API rejects", () => {
  const record = "26/01/02 03:04:05 WARN ExecutorPodsSnapshotsStoreImpl: Exception when notifying snapshot subscriber.";
  const rejected = (reason: string) =>
    `${record}\nio.fabric8.kubernetes.client.KubernetesClientException: Failure executing: POST at: https://api/pods. Message: ${reason}. Received status: Status(code=403).\n\tat a.B.c(B.java:1)`;

  test.each([
    [
      'pods "x-exec-1" is forbidden: maximum memory usage per Container is 1200Mi, but limit is 1408Mi',
      "executor-rejected: Executors are rejected: maximum memory usage per Container is 1200Mi, but limit is 1408Mi.",
    ],
    [
      'admission webhook "team.example.com" denied the request: no label team',
      'executor-rejected: Executors are rejected: admission webhook "team.example.com" denied the request: no label team.',
    ],
    [
      'pods "x-exec-1" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1',
      "executor-quota-exceeded: The quota team rejects executors: requested pods=1, used pods=1, allowed pods=1.",
    ],
  ])("%s", (reason, expected) => {
    const driver = driverPod({ phase: "Running", states: { main: { running: {} } }, logs: { main: rejected(reason) } });
    const found = diagnose(observe({ driver }));
    expect(`${found?.cause}: ${found?.message}`).toBe(expected);
  });
});
