import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { printHadoopXml } from "../../values/hadoop-xml.ts";
import { storedZip } from "./stored-zip.ts";
import { nodeSparkArgs, plainArgs, startSubmission } from "./test-submission.ts";
import { memberOf } from "./test-yarn.ts";

describe("a submission to YARN", () => {
  test("rejects more memory than a container may have", async () => {
    const big = ["--driver-memory", "9g", "--executor-memory", "4g", ...plainArgs];
    const { yarn, ended } = startSubmission(big);
    await expect(ended).rejects.toMatchObject({
      issues: [
        {
          code: "SUBMIT_ERR_YARN_EXECUTOR_MEMORY",
          message:
            "Required executor memory (4096 MB), offHeap memory (0) MB, overhead (409 MB), and PySpark memory (0 MB) is above the max threshold (4096 MB) of this cluster! Please check the values of 'yarn.scheduler.maximum-allocation-mb' and/or 'yarn.nodemanager.resource.memory-mb'.",
        },
        {
          code: "SUBMIT_ERR_YARN_DRIVER_MEMORY",
          message: expect.stringContaining("Required AM memory (9216+921 MB) is above the max threshold (4096 MB)"),
        },
      ],
    });
    expect(yarn.submitted).toEqual([]);
  });
});

describe("an invalid submission", () => {
  test("is rejected with all reasons", async () => {
    const args = ["--principal", "ann", "--conf", "spark.yarn.am.tokenConfRegex=.*", "--conf", "spark.yarn.priority=x"];
    const { ended, yarn } = startSubmission([...args, "--packages", "g:a:1", ...plainArgs], {
      site: { "hadoop.security.authentication": "kerberos" },
    });
    const error: unknown = await ended.catch((reason) => reason);
    expect(error).toMatchObject({ code: "SUBMIT_ERR_SETTING_TYPE" });
    expect(
      String(error)
        .match(/\S+ cannot be submitted to YARN/g)
        ?.sort(),
    ).toEqual(["spark.yarn.am.tokenConfRegex cannot be submitted to YARN"]);
    expect(String(error)).toContain("Both principal and keytab must be defined, or neither.");
    expect(error).toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ code: "SUBMIT_ERR_YARN_NOT_EXPRESSED" }),
        expect.objectContaining({ code: "SUBMIT_ERR_KEYTAB_INCOMPLETE" }),
      ]),
    });
    expect(yarn.requests).toEqual([]);
  });

  test("is rejected with a resource of the driver that the REST API cannot express", async () => {
    const args = ["--conf", "spark.yarn.driver.resource.yarn.io/gpu.amount=1", ...plainArgs];
    const { ended, yarn } = startSubmission(args);
    await expect(ended).rejects.toThrow("spark.yarn.driver.resource.* cannot be submitted to YARN");
    expect(yarn.requests).toEqual([]);
  });

  test("is rejected as an R application whose jars contain R packages, without which it is accepted", async () => {
    const submit = (jar: Uint8Array) =>
      startSubmission([...nodeSparkArgs, "--jars", "/job/r.jar", "app.R"], {
        files: { "/job/r.jar": jar, "/job/app.R": "1", "/spark/R/lib/sparkr.zip": "r" },
      });
    const { ended, yarn } = submit(await jarWith("Spark-HasRPackage: true\r\n"));
    await expect(ended).rejects.toThrow(
      "file:///job/r.jar cannot be submitted to YARN without a JVM: it contains R packages",
    );
    expect(yarn.requests).toEqual([]);
    expect(await submit(await jarWith("")).ended).toBe(0);
  });

  test("is rejected if the driver needs tokens that only Java programs can obtain, unless it gets none or has a keytab", async () => {
    const secure = { "hadoop.security.authentication": "kerberos" };
    const files = {
      "/etc/hadoop/hive-site.xml": printHadoopXml([["hive.metastore.uris", "thrift://ms:9083"]]),
      "/etc/hadoop/hbase-site.xml": printHadoopXml([["hbase.security.authentication", "kerberos"]]),
    };
    const kafka = ["--conf", "spark.kafka.clusters.c1.auth.bootstrap.servers=k:9092"];
    const needed = async (args: readonly string[], site: Readonly<Record<string, string>> = secure) => {
      const error: unknown = await startSubmission([...args, ...plainArgs], { site, files }).ended.catch(
        (reason) => reason,
      );
      return [...String(error).matchAll(/needs a delegation token of (\S+ \S+)/g)].map(([, service]) => service);
    };
    await expect(startSubmission([...kafka, ...plainArgs], { site: secure }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_KERBEROS_TOKENS",
    });
    expect(await needed(kafka)).toEqual([
      "hive (hive.metastore.uris=thrift://ms:9083),",
      "hbase (hbase.security.authentication=kerberos),",
      "kafka (spark.kafka.clusters.c1.auth.bootstrap.servers),",
    ]);
    const without = ["hive", "hbase"].flatMap((name) => ["--conf", `spark.security.credentials.${name}.enabled=false`]);
    expect(await needed([...kafka, ...without])).toEqual(["kafka (spark.kafka.clusters.c1.auth.bootstrap.servers),"]);
    const keytab = ["--principal", "ann", "--conf", "spark.kerberos.keytab=/k"];
    expect(await needed([...kafka, ...keytab])).toEqual([]);
    expect(await needed(kafka, {})).toEqual([]);
  });

  test("is rejected without a ResourceManager or PySpark", async () => {
    const nowhere = startSubmission(plainArgs, { site: { "yarn.resourcemanager.hostname": "" } });
    await expect(nowhere.ended).rejects.toMatchObject({ code: "SUBMIT_ERR_YARN_NO_ADDRESS" });
    const args = [...nodeSparkArgs, "app.py"];
    await expect(startSubmission(args, { env: { SPARK_HOME: "/none" } }).ended).rejects.toMatchObject({
      code: "SUBMIT_ERR_YARN_PYSPARK",
    });
    const specified = { SPARK_HOME: "/none", PYSPARK_ARCHIVES_PATH: "local:/opt/pyspark.zip" };
    const { ended, yarn } = startSubmission(args, { env: specified, files: { "/job/app.py": "p" } });
    expect(await ended).toBe(0);
    expect(memberOf(yarn.submitted[0], "am-container-spec", "environment", "PYTHONPATH")).toBe("/opt/pyspark.zip");
  });
});

/** Builds a jar whose manifest has these lines. */
async function jarWith(lines: string): Promise<Uint8Array> {
  const manifest = Buffer.from(`Manifest-Version: 1.0\r\n${lines}\r\n`);
  async function* chunks() {
    yield manifest;
  }
  const { chunks: packed } = await storedZip([{ name: "META-INF/MANIFEST.MF", sizeBytes: manifest.length, chunks }]);
  return buffer(packed());
}
