import { describe, expect, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { fileOf } from "./mini-hadoop.ts";
import { submitToApi, tokensIn } from "./submit-to-api.ts";
import { defaultArgs, environmentOf } from "./yarn-applications.ts";

const spark = sparkOf("4.3");

describe("HDFS and two ResourceManagers with Kerberos and HTTPS only", { timeout: 600_000 }, () => {
  const kerberos = kerberosForTests(spark, {
    "yarn.resourcemanager.ha.enabled": "true",
    "yarn.http.policy": "HTTPS_ONLY",
    "dfs.http.policy": "HTTPS_ONLY",
    "dfs.namenode.https-address": "localhost:0",
    "dfs.datanode.https.address": "localhost:0",
  });
  const environment = () => ({
    ...environmentOf(kerberos.hadoop(), available(spark)),
    ...kerberos.environment({ KRB5CCNAME: kerberos.realm().ticket("ann") }),
    NODE_EXTRA_CA_CERTS: kerberos.hadoop().authority,
  });

  test.each([0, 1])("run an application while ResourceManager %i is active", async (active) => {
    await kerberos.hadoop().command(`active ${active}`);
    const job = [
      "from pyspark.sql import SparkSession",
      "spark = SparkSession.builder.getOrCreate()",
      'spark.range(100).write.mode("overwrite").csv("/user/ann/out")',
      'assert spark.read.csv("/user/ann/out").count() == 100',
    ];
    const file = fileOf(kerberos.hadoop().directory, "rows.py", job.join("\n"));
    const option = `-Djava.security.krb5.conf=${kerberos.realm().configuration}`;
    const options = ["driver", "executor"].flatMap((role) => ["--conf", `spark.${role}.extraJavaOptions=${option}`]);
    const args = [...defaultArgs(available(spark)), ...options, file];
    const { exit, stderr } = await run("spark-submit", args, { env: environment() });
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(/tracking URL: https:/);
  });

  test("serve uploads and tokens of swebhdfs:", async () => {
    const fileSystem = kerberos.hadoop().webAddress.replace(/^https/, "swebhdfs");
    const settings = [
      `spark.kubernetes.file.upload.path=${fileSystem}/user/ann/up`,
      `spark.kerberos.access.hadoopFileSystems=${fileSystem}`,
    ];
    const args = [
      ...settings.flatMap((setting) => ["--conf", setting]),
      fileOf(kerberos.hadoop().directory, "a.py", ""),
    ];
    const submitted = await submitToApi(args, environment());
    expect(submitted.exit, submitted.stderr).toBe(0);
    expect(submitted.stderr).toMatch(/Uploading file: \S+a\.py to dest: swebhdfs:\S+/);
    expect([...tokensIn(submitted).values()].map(({ kind }) => kind)).toEqual([
      "SWEBHDFS delegation",
      "HDFS_DELEGATION_TOKEN",
    ]);
  });
});
