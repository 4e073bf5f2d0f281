import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, event, failedDriver, instant, observe } from "../test-observation.ts";

function reported(log: string, exitCode = 1, properties: Readonly<Record<string, string>> = {}) {
  const found = diagnose(observe({ driver: failedDriver(log, exitCode), properties }));
  return `${found?.cause}: ${found?.message}`;
}

const fetchFrames =
  "\tat org.apache.spark.util.Utils$.doFetchFile(Utils.scala:739)\n\tat org.apache.spark.util.DependencyUtils$.downloadFile(DependencyUtils.scala:264)";

describe("causes in a driver log", () => {
  test.each([
    [
      "driver-pod-not-found",
      "Caused by: org.apache.spark.SparkException: No pod was found named reports-driver in the cluster in the namespace etl (this was supposed to be the driver pod.).",
      "reports-driver",
    ],
    [
      "driver-pod-not-found",
      "Caused by: org.apache.spark.SparkException: No pod was found named Some(reports-driver) in the cluster in the namespace etl (this was supposed to be the driver pod.).",
      "no pod is named reports-driver in the namespace etl",
    ],
    [
      "dependency-unresolved",
      '\t::  UNRESOLVED DEPENDENCIES  ::\n\t:: org.example#lib_2.13;9.9.9: not found\nException in thread "main" java.lang.RuntimeException: [unresolved dependency: org.example#lib_2.13;9.9.9: not found]',
      "org.example#lib_2.13;9.9.9",
    ],
    [
      "jvm-heap-too-large",
      "Error occurred during initialization of VM\nCould not reserve enough space for 104857600KB object heap",
      "104857600KB",
    ],
    [
      "jvm-heap-too-large",
      "Invalid maximum heap size: -Xmx99999999g\nThe specified size exceeds the maximum representable size.\nError: Could not create the Java Virtual Machine.",
      "-Xmx99999999g",
    ],
    [
      "jvm-heap-too-large",
      "# There is insufficient memory for the Java Runtime Environment to continue.\n# Native memory allocation (mmap) failed to map 68719476736 bytes",
      "insufficient memory",
    ],
    [
      "jvm-option-invalid",
      "Unrecognized VM option 'UseConcMarkSweepGC'\nError: Could not create the Java Virtual Machine.",
      "UseConcMarkSweepGC",
    ],
    ["jvm-option-invalid", "Error opening zip file or JAR manifest missing : /opt/agent.jar", "/opt/agent.jar"],
    [
      "jar-missing",
      "24/05/02 10:00:00 WARN DependencyUtils: Local jar /opt/app.jar does not exist, skipping.\nError: Failed to load class com.example.App.",
      "/opt/app.jar",
    ],
    [
      "main-class-not-found",
      'Exception in thread "main" java.lang.NoSuchMethodException: com.example.App.main([Ljava.lang.String;)',
      "com.example.App",
    ],
    ["main-class-not-found", "Error: Failed to load com.example.App: com/example/Base", "com.example.App"],
    [
      "dependency-unreachable",
      `Exception in thread "main" java.net.ConnectException: Connection refused\n${fetchFrames}`,
      "Connection refused",
    ],
    [
      "filesystem-missing",
      'Exception in thread "main" org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "gs"',
      "gs://",
    ],
    [
      "event-log-directory-missing",
      "24/05/02 10:00:00 ERROR SparkContext: Error initializing SparkContext.\njava.io.FileNotFoundException: File file:/tmp/spark-events does not exist\n\tat org.apache.spark.deploy.history.EventLogFileWriter.requireLogBaseDirAsDirectory(EventLogFileWriters.scala:77)",
      "/tmp/spark-events",
    ],
    [
      "driver-bind-failed",
      "24/05/02 10:00:00 ERROR SparkContext: Error initializing SparkContext.\njava.net.BindException: Address already in use: Service 'sparkDriver' failed after 16 retries (starting from 7078)!",
      "in use already",
    ],
    ["java-heap-space", "Terminating due to java.lang.OutOfMemoryError: GC overhead limit exceeded", "GC overhead"],
    [
      "user-unknown",
      'Exception in thread "main" org.apache.hadoop.security.KerberosAuthException: failure to login: javax.security.auth.login.LoginException: java.lang.NullPointerException: invalid null input: name',
      "invalid null input",
    ],
    ["read-only-file-system", "OSError: [Errno 30] Read-only file system: '/opt/out/x'", "/opt/out/x"],
    [
      "python-module-missing",
      "Traceback (most recent call last):\n  File \"/app/job.py\", line 3, in <module>\n    import pyarrow.fs\nModuleNotFoundError: No module named 'pyarrow.fs'; 'pyarrow' is not a package",
      "pyarrow.fs",
    ],
    ["python-missing", "env: 'python3.12': No such file or directory", "python3.12"],
    [
      "java-version-mismatch",
      'Exception in thread "main" java.lang.UnsupportedClassVersionError: com/example/App has been compiled by a more recent version of the Java Runtime (class file version 61.0), this version of the Java Runtime only recognizes class file versions up to 55.0',
      "Java 11",
    ],
    [
      "setting-invalid",
      'Exception in thread "main" java.lang.IllegalArgumentException: spark.dynamicAllocation.enabled should be boolean, but was maybe\n\tat org.apache.spark.internal.config.ConfigHelpers$.toBoolean(ConfigBuilder.scala:56)',
      "spark.dynamicAllocation.enabled",
    ],
    [
      "setting-invalid",
      'Exception in thread "main" java.lang.IllegalArgumentException: System memory 259522560 must be at least 471859200. Please increase heap size using the --driver-memory option or spark.driver.memory in Spark configuration.\n\tat org.apache.spark.memory.UnifiedMemoryManager$.getMaxMemory(UnifiedMemoryManager.scala:223)',
      "spark.driver.memory",
    ],
  ])("%s", (cause, log, expectedText) => {
    const found = reported(log);
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    expect(found).toContain(expectedText);
  });

  test("an exception of the application, with its location and its root cause", () => {
    const java = [
      "24/05/02 10:00:00 INFO SparkContext: Running Spark version 3.5.9",
      'Exception in thread "main" java.util.concurrent.ExecutionException: java.lang.IllegalArgumentException: no partitions for 2024-05-01',
      "\tat java.base/java.util.concurrent.FutureTask.report(FutureTask.java:122)",
      "Caused by: java.lang.IllegalArgumentException: no partitions for 2024-05-01",
      "\tat org.apache.spark.sql.Dataset.collect(Dataset.scala:1)",
      "\tat io.acme.etl.Loader.load(Loader.scala:31)",
    ].join("\n");
    expect(reported(java)).toMatch(
      /^application-exception: .*IllegalArgumentException: no partitions for 2024-05-01, in io\.acme\.etl\.Loader\.load\(Loader\.scala:31\)/,
    );
  });

  test("an exception of a task instead of that of the job", () => {
    const log =
      'Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.1.2.3 executor 2): java.lang.ArithmeticException: / by zero\n\tat com.example.Job$.ratio(Job.scala:9)';
    expect(reported(log)).toContain(
      "application-exception: The application threw java.lang.ArithmeticException: / by zero, in com.example.Job$.ratio(Job.scala:9)",
    );
  });

  test("a task that ran out of memory is not reported as the driver's memory", () => {
    const log =
      'Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.1.2.3 executor 2): java.lang.OutOfMemoryError: Java heap space\nCaused by: java.lang.OutOfMemoryError: Java heap space';
    expect(reported(log)).toMatch(/^application-exception: .*OutOfMemoryError/);
  });

  test("a missing permission to clean up does not hide the cause of the failure", () => {
    const log =
      'Exception in thread "main" java.lang.IllegalStateException: bad input\n\tat com.example.Job.main(Job.java:5)\n24/05/02 10:00:00 ERROR Utils: Uncaught exception in thread main\nMessage: configmaps is forbidden: User "system:serviceaccount:a:b" cannot deletecollection resource "configmaps" in API group ""';
    expect(reported(log)).toMatch(/^application-exception: .*bad input/);
  });

  test("an exception of PySpark, with the exception of Spark as its root cause", () => {
    const log = [
      "Traceback (most recent call last):",
      '  File "/app/job.py", line 12, in <module>',
      "    df.write.parquet(out)",
      '  File "/opt/spark/python/lib/pyspark.zip/pyspark/sql/readwriter.py", line 1721, in parquet',
      "py4j.protocol.Py4JJavaError: An error occurred while calling o59.parquet.",
      ": org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory /out already exists",
      "\tat org.apache.hadoop.mapred.FileOutputFormat.checkOutputSpecs(FileOutputFormat.java:131)",
    ].join("\n");
    const found = reported(log);
    expect(found).toContain("Py4JJavaError");
    expect(found).toContain("/app/job.py, line 12");
    expect(found).toContain("FileAlreadyExistsException: Output directory /out already exists");
  });

  test("an error of the application is not reported as an invalid setting", () => {
    const log =
      'Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: limit must be positive\n\tat scala.Predef$.require(Predef.scala:337)\n\tat com.example.Job$.main(Job.scala:9)\n\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)';
    expect(reported(log)).toMatch(/^application-exception: .*Job\.scala:9/);
  });

  test("secrets are hidden", () => {
    const log =
      'Exception in thread "main" java.sql.SQLException: login failed: jdbc:x://db/?user=a&password=hunter2hunter2 for https://ana:topsecret@repo/ with s3cr3t-value';
    const driver = failedDriver(log);
    const found = diagnose(observe({ driver, properties: { "spark.my.password": "s3cr3t-value" } }));
    const shown = JSON.stringify(found);
    for (const secret of ["hunter2", "topsecret", "s3cr3t-value"]) expect(shown).not.toContain(secret);
    expect(shown).toContain("login failed");
  });
});

test("the cluster client's frames are not reported as the application's location", () => {
  const log = [
    'Exception in thread "main" io.fabric8.kubernetes.client.KubernetesClientException: An error has occurred.',
    "\tat io.fabric8.kubernetes.client.dsl.internal.OperationSupport.waitForResult(OperationSupport.java:509)",
    "\tat org.apache.spark.scheduler.cluster.k8s.ExecutorPodsAllocator.start(ExecutorPodsAllocator.scala:124)",
  ].join("\n");
  const { message } = diagnose(observe({ driver: failedDriver(log) })) ?? {};
  expect(message).toMatch(/KubernetesClientException: An error has occurred\.+$/);
});

test("reports an unreachable address when the exception names its host or none", () => {
  const properties = {
    "spark.jars": "local:///opt/a.jar,http://repo.example.com/a.jar,hdfs://namenode.corp:8020/b.jar",
  };
  const frame = "\tat org.apache.spark.deploy.SparkSubmit.prepareSubmitEnvironment(SparkSubmit.scala:399)";
  const message = (head: string) =>
    diagnose(observe({ driver: failedDriver(`Exception in thread "main" ${head}\n${frame}`), properties }))?.message;
  expect(message("java.net.ConnectException: Connection refused")).toContain("http://repo.example.com/a.jar");
  expect(message("java.lang.IllegalArgumentException: java.net.UnknownHostException: namenode.corp")).toContain(
    "hdfs://namenode.corp:8020/b.jar",
  );
});

describe("the end of a driver", () => {
  const limited = (memory: string) => ({
    containers: [{ name: "spark-kubernetes-driver", resources: { limits: { memory } } }],
  });

  test("at its memory limit: the setting to raise, and its value", () => {
    const driver = driverPod({
      phase: "Failed",
      spec: limited("4505Mi"),
      states: { main: ended(137, { reason: "OOMKilled" }) },
    });
    const found = diagnose(observe({ driver, properties: { "spark.driver.memory": "4g" } }));
    expect(found).toMatchObject({ cause: "oom-killed", key: "spark.driver.memoryOverhead" });
    expect(found?.message).toContain("4505Mi");
    expect(found?.message).not.toMatch(/exit code: \d/);
    expect(found?.nextStep).toBe("Raise spark.driver.memoryOverhead to 896m or more: the limit is then 4992 MiB.");
  });

  test.each([
    [137, "killed"],
    [143, "terminated"],
    [134, "jvm-crash"],
    [139, "jvm-crash"],
    [126, "command-not-executable"],
    [127, "command-not-found"],
    [3, "application-exit"],
  ])("with %i: %s", (exitCode, cause) => {
    expect(reported("working", exitCode)).toMatch(new RegExp(`^${cause}:.*${exitCode}`));
  });

  test("with success, but with a failed sidecar", () => {
    const spec = { containers: [{ name: "a-proxy" }, { name: "spark-kubernetes-driver" }] };
    const driver = driverPod({ phase: "Failed", spec, states: { "a-proxy": ended(2), main: ended(0) } });
    expect(diagnose(observe({ driver }))).toMatchObject({ cause: "side-car-failed", isTerminal: true });
    const running = driverPod({
      phase: "Running",
      spec,
      states: { "a-proxy": { running: {} }, main: ended(0) },
    });
    expect(diagnose(observe({ driver: running, second: 10 }))).toBeUndefined();
    expect(diagnose(observe({ driver: running, second: 17 }))).toMatchObject({ cause: "side-car-running" });
  });

  test("with success, regardless of exceptions in its log", () => {
    const log = { main: 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space' };
    const driver = driverPod({ phase: "Succeeded", states: { main: ended(0) }, logs: log });
    expect(diagnose(observe({ driver }))).toBeUndefined();
  });

  test("by a probe, but not by probes that fail while a driver starts", () => {
    const driver = driverPod({ phase: "Running", states: { main: { running: {} } } });
    const unhealthy = event("Unhealthy", "Startup probe failed: dial tcp 10.0.0.1:4040: connect: connection refused", {
      count: 2,
    });
    expect(diagnose(observe({ driver, events: [unhealthy] }))).toBeUndefined();
    const killing = event("Killing", "Container spark-kubernetes-driver failed startup probe, will be restarted", {
      second: 9,
    });
    expect(diagnose(observe({ driver, events: [unhealthy, killing] }))).toMatchObject({
      cause: "probe-failed",
    });
  });
});

describe("the removal of a driver", () => {
  const running = {
    phase: "Running",
    spec: { nodeName: "worker-1", containers: [{ name: "spark-kubernetes-driver" }] },
    states: { main: { running: {} } },
  };
  const target = (reason: string) => ({
    conditions: [{ type: "DisruptionTarget", status: "True", reason, message: "why" }],
  });
  const deleted = { deletionTimestamp: instant(40), deletionGracePeriodSeconds: 30 };

  test.each([
    ["PreemptionByScheduler", "preempted"],
    ["EvictionByEvictionAPI", "evicted-by-api"],
    ["DeletionByTaintManager", "evicted-by-taint"],
    ["DeletionByPodGC", "node-lost"],
  ])("%s: %s", (reason, cause) => {
    const driver = driverPod({ ...running, metadata: deleted, status: target(reason) });
    expect(diagnose(observe({ driver }))?.cause).toBe(cause);
  });

  test("names the taint", () => {
    const objects = [
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "worker-1" },
        spec: { taints: [{ key: "maintenance", value: "now", effect: "NoExecute" }] },
      },
    ];
    const driver = driverPod({ ...running, metadata: deleted, status: target("DeletionByTaintManager") });
    expect(diagnose(observe({ driver, objects }))?.message).toContain("maintenance=now");
  });

  test.each([
    ["The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi.", "evicted-storage"],
    ['Usage of EmptyDir volume "spark-local-dir-1" exceeds the limit "10Gi". ', "evicted-storage"],
    [
      "The node was low on resource: memory. Threshold quantity: 100Mi, available: 60Mi. Container spark-kubernetes-driver was using 9Gi, request is 1Gi.",
      "evicted-pressure",
    ],
  ])("%s", (message, cause) => {
    const driver = driverPod({
      phase: "Failed",
      states: { main: ended(137) },
      status: { reason: "Evicted", message },
    });
    expect(diagnose(observe({ driver }))).toMatchObject({
      cause,
      message: expect.stringContaining(message.trim()),
    });
  });

  test("by a user, unless the driver had ended before", () => {
    expect(diagnose(observe({ driver: driverPod({ ...running, metadata: deleted }) }))?.cause).toBe("deleted");
    const pending = driverPod({ metadata: deleted, isDeleted: true });
    expect(diagnose(observe({ driver: pending }))?.cause).toBe("deleted");
    const done = driverPod({
      metadata: { deletionTimestamp: instant(900) },
      isDeleted: true,
      phase: "Succeeded",
      states: { main: ended(0) },
    });
    expect(diagnose(observe({ driver: done, second: 901 }))).toBeUndefined();
  });

  test.each([
    [
      "NodeAffinity",
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    ["SysctlForbidden", 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted'],
    ["OutOfmemory", "Pod was rejected: Node didn't have enough resource: memory, requested: 1, used: 2, capacity: 2"],
  ])("by a node that rejects it: %s", (reason, message) => {
    const driver = driverPod({ phase: "Failed", status: { reason, message } });
    expect(diagnose(observe({ driver }))).toMatchObject({ cause: "node-refused-pod" });
  });
});

test("reports a driver that has ended but whose JVM keeps running", () => {
  const log = { main: "24/05/02 10:00:00 INFO SparkContext: Successfully stopped SparkContext" };
  const driver = driverPod({ phase: "Running", states: { main: { running: {} } }, logs: log });
  expect(diagnose(observe({ driver, second: 14 }))).toBeUndefined();
  expect(diagnose(observe({ driver, second: 15 }))?.cause).toBe("driver-does-not-exit");
});

test("names the upload path and its mount if the driver cannot open an uploaded file", () => {
  const path = "/shared/spark-upload-4daf5680/job.py";
  const log = `python3: can't open file '${path}': [Errno 2] No such file or directory`;
  expect(diagnose(observe({ driver: failedDriver(log, 2) }))).toMatchObject({
    cause: "script-missing",
    message: `The script ${path} was uploaded, but the driver cannot open it there.`,
    nextStep: expect.stringContaining("spark.kubernetes.driver.volumes."),
    key: "spark.kubernetes.file.upload.path",
  });
});
