import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, failedDriver, observe } from "../test-observation.ts";
import { diagnoseLog } from "./test-diagnose.ts";

const trace = (error: string) =>
  `Traceback (most recent call last):\n  File "/app/job.py", line 3, in <module>\n    run()\n${error}`;

const notFound = "pyspark.errors.exceptions.captured.AnalysisException: [PATH_NOT_FOUND] Path does not exist: ";

describe("files of an application in its pods", () => {
  test.each([
    [`${notFound}file:/home/me/data.csv. SQLSTATE: 42K03`, "/home/me/data.csv"],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/home/me/x.txt'", "/home/me/x.txt"],
    [
      "pyspark.errors.exceptions.captured.SparkFileNotFoundException: File file:/tmp/out/part-0.parquet does not exist",
      "/tmp/out/part-0.parquet",
    ],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'", "data/in.csv"],
  ])("%s: names the missing file", (error, path) => {
    expect(diagnoseLog(trace(error))).toMatch(
      `pod-file-missing: The application reads ${path}, which is not in its pod: each pod has its own file system.`,
    );
  });

  test.each([
    [
      "java.io.IOException: Mkdirs failed to create file:/results/out/_temporary/0/_temporary/attempt_1 (exists=false, cwd=file:/opt/spark/work-dir)",
      "/results/out",
    ],
    ["PermissionError: [Errno 13] Permission denied: '/out.txt'", "/out.txt"],
  ])("%s: names the path that cannot be written", (error, path) => {
    expect(diagnoseLog(trace(error))).toMatch(
      `pod-file-unwritable: The application cannot write ${path} in its pod: each pod has its own file system`,
    );
  });

  test("a directory without data is explained by what executors wrote into their own pods", () => {
    const error = "[UNABLE_TO_INFER_SCHEMA] Unable to infer schema for Parquet. It must be specified manually.";
    const found = diagnose(observe({ driver: failedDriver(trace(`AnalysisException: ${error}`), 1) }));
    expect(found).toMatchObject({ cause: "pod-file-missing" });
    expect(found?.nextStep).toContain("--mount SOURCE:/PATH");
  });

  test("files elsewhere, and those of volumes, have other causes", () => {
    expect(diagnoseLog(trace(`${notFound}s3a://b/x. SQLSTATE: 42K03`))).toMatch("application-exception");
    const main = { name: "spark-kubernetes-driver", image: "i", volumeMounts: [{ name: "d", mountPath: "/data/" }] };
    const log = trace(`${notFound}file:/data/x.csv. SQLSTATE: 42K03`);
    const driver = driverPod({ spec: { containers: [main] }, states: { main: ended(1) } });
    expect(diagnose(observe({ driver: { ...driver, logs: failedDriver(log, 1).logs } }))?.cause).toBe(
      "application-exception",
    );
  });
});

describe("a missing Python module", () => {
  const log = trace("ModuleNotFoundError: No module named 'sklearn.svm'");

  test("is fixed by --python-env, with the name of its package", () => {
    const found = diagnose(observe({ driver: failedDriver(log, 1) }));
    expect(found?.message).toBe("The Python module sklearn.svm is not in the image.");
    expect(found?.nextStep).toBe(
      "Write scikit-learn into a file requirements.txt, and add --python-env requirements.txt; or send your own module with --py-files.",
    );
  });

  test("is added to the requirements of an existing environment", () => {
    const properties = { "spark.pyspark.python": "./python-env/bin/python" };
    const found = diagnose(observe({ driver: failedDriver(log, 1), properties }));
    expect(found?.message).toContain("neither in the image nor in the environment of --python-env");
    expect(found?.nextStep).toContain("Add scikit-learn to its requirements");
  });
});
