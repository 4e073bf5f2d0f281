import { expect, test } from "vitest";
import { diagnoseLog } from "./test-diagnose.ts";

const python = (error: string) =>
  `Traceback (most recent call last):\n  File "/app/job.py", line 3, in <module>\n    run()\npy4j.protocol.Py4JJavaError: An error occurred while calling o1.x.\n: ${error}`;

test.each([
  [
    "java.nio.file.AccessDeniedException: s3a://lake/a: org.apache.hadoop.fs.s3a.auth.NoAuthWithAWSException: No AWS Credentials provided",
    "s3-access-failed: The application cannot access the bucket lake: the driver has no credentials.",
  ],
  [
    "java.nio.file.AccessDeniedException: s3a://lake/a: getFileStatus on s3a://lake/a: com.amazonaws.services.s3.model.AmazonS3Exception: Forbidden (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied; Request ID: 1)",
    "s3-access-failed: The application cannot access the bucket lake: the object store responded with status 403 (AccessDenied).",
  ],
  [
    "org.apache.hadoop.fs.s3a.UnknownStoreException: `s3a://lake/': Bucket does not exist",
    "s3-access-failed: The application cannot access the bucket lake: it does not exist.",
  ],
  [
    "org.apache.hadoop.security.KerberosAuthException: failure to login: for principal: a@EXAMPLE.COM from keytab /k/a.keytab javax.security.auth.login.LoginException: Receive timed out",
    "kerberos-failed: Kerberos authentication failed for a@EXAMPLE.COM with the keytab /k/a.keytab: Receive timed out.",
  ],
  [
    "org.apache.hadoop.hive.metastore.api.MetaException: Could not connect to meta store using any of the URIs provided.\nCaused by: java.net.UnknownHostException: hive",
    "metastore-unreachable: The driver cannot connect to the Hive metastore at thrift://hive:9083: hive.",
  ],
  [
    "java.io.IOException: No space left on device",
    "local-disk-full: No space is left in a local directory of the driver, where Spark keeps shuffle and temporary files.",
  ],
  [
    "org.apache.spark.SparkException: Job aborted: Lost task 0.3 in stage 1.0 (TID 3) (10.0.0.1 executor 1): java.io.IOException: No space left on device",
    "local-disk-full: No space is left in a local directory of an executor, where Spark keeps shuffle and temporary files.",
  ],
  [
    "org.apache.spark.SparkException: Job aborted: Total size of serialized results of 4 tasks (10.0 MiB) is bigger than spark.driver.maxResultSize (8.0 MiB)",
    "result-too-large: The results of 4 tasks have 10.0 MiB, and spark.driver.maxResultSize allows 8.0 MiB.",
  ],
  [
    "java.lang.ClassNotFoundException: org.postgresql.Driver",
    "class-missing: The class org.postgresql.Driver is not on the class path of the application.",
  ],
  [
    "org.apache.spark.SparkClassNotFoundException: [DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure",
    "class-missing: The data source delta is not on the class path of the application.",
  ],
  [
    "org.apache.spark.SparkException: [PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9 than that in driver: 3.11, PySpark cannot run",
    "python-version-mismatch: The executors run Python 3.9, and the driver runs Python 3.11; PySpark needs the same version.",
  ],
])("%s", (error, expected) => {
  const properties = { "spark.hadoop.hive.metastore.uris": "thrift://hive:9083" };
  expect(diagnoseLog(python(error), 1, properties)).toBe(expected);
});

test("a status of another server than an object store is not one", () => {
  expect(diagnoseLog(python("java.io.IOException: Status Code: 403 of the price service"))).toMatch(
    /^application-exception: /,
  );
});
