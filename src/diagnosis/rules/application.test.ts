import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { failedDriver, observe } from "../test-observation.ts";
import { diagnoseLog } from "./test-diagnose.ts";

describe("causes in a driver log", () => {
  test("an exception of the application, with its location and its root cause", () => {
    const java = [
      "24/05/02 10:00:00 INFO SparkContext: Running Spark version 3.5.9",
      'Exception in thread "main" java.util.concurrent.ExecutionException: java.lang.IllegalArgumentException: no partitions for 2024-05-01',
      "\tat java.base/java.util.concurrent.FutureTask.report(FutureTask.java:122)",
      "Caused by: java.lang.IllegalArgumentException: no partitions for 2024-05-01",
      "\tat org.apache.spark.sql.Dataset.collect(Dataset.scala:1)",
      "\tat io.acme.etl.Loader.load(Loader.scala:31)",
    ].join("\n");
    expect(diagnoseLog(java)).toMatch(
      /^application-exception: .*IllegalArgumentException: no partitions for 2024-05-01, in io\.acme\.etl\.Loader\.load\(Loader\.scala:31\)/,
    );
  });

  test("an exception of a task instead of that of the job", () => {
    const log =
      'Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.1.2.3 executor 2): java.lang.ArithmeticException: / by zero\n\tat com.example.Job$.ratio(Job.scala:9)';
    expect(diagnoseLog(log)).toContain(
      "application-exception: The application threw java.lang.ArithmeticException: / by zero, in com.example.Job$.ratio(Job.scala:9)",
    );
  });

  test("a message ends without the mark of Spark that would end the sentence", () => {
    const log =
      'Traceback (most recent call last):\n  File "/app/job.py", line 13, in <module>\npyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN] `a` cannot be resolved. SQLSTATE: 42703;';
    expect(diagnoseLog(log)).toContain("cannot be resolved. SQLSTATE: 42703, in /app/job.py, line 13.");
  });

  test("a task that ran out of memory is not reported as the driver's memory", () => {
    const log =
      'Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.1.2.3 executor 2): java.lang.OutOfMemoryError: Java heap space\nCaused by: java.lang.OutOfMemoryError: Java heap space';
    expect(diagnoseLog(log)).toMatch(/^application-exception: .*OutOfMemoryError/);
  });

  test("a missing permission to clean up does not hide the cause of the failure", () => {
    const log =
      'Exception in thread "main" java.lang.IllegalStateException: bad input\n\tat com.example.Job.main(Job.java:5)\n24/05/02 10:00:00 ERROR Utils: Uncaught exception in thread main\nMessage: configmaps is forbidden: User "system:serviceaccount:a:b" cannot deletecollection resource "configmaps" in API group ""';
    expect(diagnoseLog(log)).toMatch(/^application-exception: .*bad input/);
  });

  test("the innermost exception of Spark instead of that of Py4J", () => {
    const log = [
      "Traceback (most recent call last):",
      '  File "/app/job.py", line 12, in <module>',
      "    df.write.parquet(out)",
      '  File "/opt/spark/python/lib/pyspark.zip/pyspark/sql/readwriter.py", line 1721, in parquet',
      "py4j.protocol.Py4JJavaError: An error occurred while calling o59.parquet.",
      ": org.apache.spark.SparkException: Writing job failed.",
      "\tat org.apache.spark.sql.errors.QueryExecutionErrors$.writingJobFailedError(QueryExecutionErrors.scala:916)",
      "Caused by: org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory /out already exists",
      "\tat org.apache.hadoop.mapred.FileOutputFormat.checkOutputSpecs(FileOutputFormat.java:131)",
    ].join("\n");
    expect(diagnoseLog(log)).toContain(
      "application-exception: The application threw org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory /out already exists, in /app/job.py, line 12.",
    );
  });

  test("an exception of Python code in an executor, with its own location", () => {
    const worker = [
      "Traceback (most recent call last):",
      '  File "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", line 1247, in main',
      "    process()",
      '  File "/opt/spark-deps/files/ratios.py", line 3, in ratio',
      "    return a / b",
      "ZeroDivisionError: division by zero",
      "",
      "\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)",
    ];
    const log = [
      "Traceback (most recent call last):",
      '  File "/opt/spark-deps/files/job.py", line 12, in <module>',
      "    df.collect()",
      "py4j.protocol.Py4JJavaError: An error occurred while calling o60.collectToPython.",
      `: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task 0.3 in stage 0.0 (TID 3) (10.1.2.3 executor 1): org.apache.spark.api.python.PythonException: ${worker[0]}`,
      ...worker.slice(1),
      `Caused by: org.apache.spark.api.python.PythonException: ${worker[0]}`,
      ...worker.slice(1),
    ].join("\n");
    expect(diagnoseLog(log)).toContain(
      "application-exception: The application threw ZeroDivisionError: division by zero, in ratios.py, line 3.",
    );
  });

  test.each([
    "/tmp/spark-6f7a1f8e-7a53-4f0e-9c57-0a5d9f3c1b11/job.py",
    "/tmp/spark-6f7a1f8e-7a53-4f0e-9c57-0a5d9f3c1b11/userFiles-0f7a1f8e-7a53-4f0e-9c57-0a5d9f3c1b11/job.py",
    "/opt/spark/work-dir/spark-upload-6f7a1f8e-7a53-4f0e-9c57-0a5d9f3c1b11/job.py",
    "/opt/spark-deps/files/job.py",
    "/opt/spark-deps/pyfiles/job.py",
  ])("the user's file instead of its copy %s", (path) => {
    const log = `Traceback (most recent call last):\n  File "${path}", line 2, in <module>\nKeyError: 'day'`;
    expect(diagnoseLog(log)).toContain("The application threw KeyError: 'day', in job.py, line 2.");
  });

  test("an error of the application is not reported as an invalid setting", () => {
    const log =
      'Exception in thread "main" java.lang.IllegalArgumentException: requirement failed: limit must be positive\n\tat scala.Predef$.require(Predef.scala:337)\n\tat com.example.Job$.main(Job.scala:9)\n\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)';
    expect(diagnoseLog(log)).toMatch(/^application-exception: .*Job\.scala:9/);
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
