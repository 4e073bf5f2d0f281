import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, failedDriver, observe } from "../test-observation.ts";
import { diagnoseLog } from "./test-diagnose.ts";

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
    [
      "loopback-refused",
      'Exception in thread "main" java.net.ConnectException: Call From driver/10.1.0.4 to localhost:9000 failed on connection exception: java.net.ConnectException: Connection refused',
      "localhost:9000, which in a pod is the pod itself",
    ],
    [
      "loopback-refused",
      'Exception in thread "main" software.amazon.awssdk.core.exception.SdkClientException: Unable to execute HTTP request: Connect to 127.0.0.1:9000 [/127.0.0.1] failed: Connection refused',
      "127.0.0.1:9000",
    ],
    [
      "loopback-refused",
      "Traceback (most recent call last):\n  File \"/app/job.py\", line 3, in <module>\nrequests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=8000): Max retries exceeded with url: / (Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused'))",
      "localhost:8000",
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
    const found = diagnoseLog(log);
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    expect(found).toContain(expectedText);
  });
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
