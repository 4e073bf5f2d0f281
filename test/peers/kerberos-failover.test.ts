import { describe, expect, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { alone, someBytes, stageBundle, startStaging } from "../staging/staging-program.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { fileOf } from "./mini-hadoop.ts";
import { submitToApi, tokensIn } from "./submit-to-api.ts";
import { defaultArgs, environmentOf } from "./yarn-applications.ts";

const spark = sparkOf("4.3");

describe("an HDFS of two NameNodes with Kerberos", { timeout: 600_000 }, () => {
  const kerberos = kerberosForTests(spark, { "firesteel.name-nodes": "2" });
  const environment = () => kerberos.environment({ KRB5CCNAME: kerberos.realm().ticket("ann") });
  const upload = ["--conf", "spark.kubernetes.file.upload.path=hdfs:///user/ann/up"];
  const submit = () =>
    submitToApi([...upload, fileOf(kerberos.hadoop().directory, "job.py", "print(1)\n")], environment());

  test("gives an application on YARN tokens for both", async () => {
    const job = [
      "from pyspark.sql import SparkSession",
      "spark = SparkSession.builder.getOrCreate()",
      'spark.range(100).write.mode("overwrite").csv("/user/ann/out")',
      'assert spark.read.csv("/user/ann/out").count() == 100',
    ];
    const file = fileOf(kerberos.hadoop().directory, "rows.py", job.join("\n"));
    const option = `-Djava.security.krb5.conf=${kerberos.realm().configuration}`;
    const options = ["driver", "executor"].flatMap((role) => ["--conf", `spark.${role}.extraJavaOptions=${option}`]);
    const env = { ...environmentOf(kerberos.hadoop(), available(spark)), ...environment() };
    const { exit, stderr } = await run("spark-submit", [...defaultArgs(available(spark)), ...options, file], { env });
    expect(exit, stderr).toBe(0);
  });

  test("serves an upload and a token for both while the first one is on standby", async () => {
    const submitted = await submit();
    expect(submitted.exit, submitted.stderr).toBe(0);
    expect([...tokensIn(submitted).keys()]).toEqual(["ha-hdfs:minidfs-ns"]);
  });

  test("keeps the store of a staging server across a failover", async () => {
    const store = "hdfs://minidfs-ns/user/ann/store";
    const staging = await startStaging(alone, { store, env: environment() });
    const bytes = someBytes(100_000);
    const { path, reader } = await stageBundle(staging, bytes);
    await kerberos.hadoop().command("standby 1");
    await kerberos.hadoop().command("serve 0");
    const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect(got.body.equals(bytes)).toBe(true);
    await stageBundle(staging, someBytes(100_000, 2));
  });

  test("is one error if both are on standby, and nothing is created", async () => {
    await kerberos.hadoop().command("standby 0");
    const { exit, stderr, objects } = await submit();
    expect(exit).toBe(1);
    expect(stderr).toMatch(/Error: .*StandbyException/);
    expect(stderr.match(/Error:/g)).toHaveLength(1);
    expect(objects).toEqual([]);
  });
});
