import { describe, expect, test } from "vitest";
import type { SubmitterFile } from "../plan/facts.ts";
import { type TestSubmission, testDriver } from "../plan/test-driver.ts";
import { hadoopConf } from "./hadoop-conf.ts";

const text = { name: "core-site.xml", bytes: Buffer.from("<configuration/>\n") };
const binary = { name: "bin.dat", bytes: Uint8Array.of(0xff, 0x00) };
const mapKey = "spark.kubernetes.hadoop.configMapName";

function driverWith(files: readonly SubmitterFile[] | undefined, submission: TestSubmission = {}) {
  return testDriver({ ...submission, facts: { hadoopDirectory: { path: "/h", files } } });
}

function issueCodes(driver: ReturnType<typeof testDriver>) {
  return hadoopConf.check?.(driver).map(({ code }) => code);
}

describe("a Hadoop configuration directory", () => {
  test("is passed to driver and executors in a ConfigMap", () => {
    const name = "golden-aaaaaa1-hadoop-config";
    expect(hadoopConf.contribute(driverWith([text]))).toEqual({
      volumes: [
        {
          name: "hadoop-properties",
          configMap: { name, items: [{ key: "core-site.xml", path: "core-site.xml" }] },
        },
      ],
      mounts: [{ name: "hadoop-properties", mountPath: "/opt/hadoop/conf" }],
      env: [{ name: "HADOOP_CONF_DIR", value: "/opt/hadoop/conf" }],
      properties: { "spark.kubernetes.executor.hadoopConfigMapName": name },
      resources: [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name },
          immutable: true,
          data: { "core-site.xml": "<configuration/>\n" },
        },
      ],
    });
  });

  test.each([[undefined], [[]]])("with the files %j is an empty ConfigMap", (files) => {
    const { resources, volumes } = hadoopConf.contribute(driverWith(files));
    expect(resources?.[0]).not.toHaveProperty("data");
    expect(volumes).toEqual([{ name: "hadoop-properties", configMap: { name: "golden-aaaaaa1-hadoop-config" } }]);
  });

  test("can have binary files", () => {
    const driver = driverWith([text, binary]);
    expect(issueCodes(driver)).toEqual([]);
    expect(hadoopConf.contribute(driver).resources?.[0]).toMatchObject({
      data: { "core-site.xml": "<configuration/>\n" },
      binaryData: { "bin.dat": "/wA=" },
    });
  });

  test("with a binary file is rejected or its bytes are replaced in strict mode, as by the target Spark", () => {
    const newer = driverWith([binary], { behaviors: { binaryHadoopConf: "spark" } });
    expect(hadoopConf.check?.(newer)).toMatchObject([
      {
        code: "SUBMIT_ERR_NOT_UTF8",
        message: "Input length = 1",
        hint: expect.stringContaining("/h/bin.dat"),
      },
    ]);
    const older = driverWith([binary], { behaviors: { binaryHadoopConf: "spark" }, line: "4.0" });
    expect(issueCodes(older)).toEqual([]);
    expect(hadoopConf.contribute(older).resources?.[0]).toMatchObject({ data: { "bin.dat": "\ufffd\0" } });
  });
});

test("mounts a ConfigMap of the user unchanged", () => {
  expect(hadoopConf.contribute(testDriver({ settings: { [mapKey]: "hc" } }))).toEqual({
    volumes: [{ name: "hadoop-properties", configMap: { name: "hc" } }],
    mounts: [{ name: "hadoop-properties", mountPath: "/opt/hadoop/conf" }],
    env: [{ name: "HADOOP_CONF_DIR", value: "/opt/hadoop/conf" }],
    properties: { "spark.kubernetes.executor.hadoopConfigMapName": "hc" },
  });
});

test("rejects a directory together with a ConfigMap, even if the step is excluded", () => {
  const settings = {
    [mapKey]: "hc",
    "spark.kubernetes.driver.pod.excludedFeatureSteps":
      "org.apache.spark.deploy.k8s.features.HadoopConfDriverFeatureStep",
  };
  expect(issueCodes(driverWith([], { settings }))).toEqual(["SUBMIT_ERR_HADOOP_CONF_CONFLICT"]);
});

test("adds nothing without a directory or a ConfigMap", () => {
  expect(hadoopConf.contribute(testDriver())).toEqual({});
});
