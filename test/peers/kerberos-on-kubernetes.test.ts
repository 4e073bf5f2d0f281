import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { environmentOf } from "./yarn-applications.ts";

const job = `
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.range(100, numPartitions=2).write.mode("overwrite").csv(sys.argv[1])
print("rows", spark.read.csv(sys.argv[1]).count())
user = spark._jvm.org.apache.hadoop.security.UserGroupInformation.getLoginUser()
print("user", user.getShortUserName(), "keytab", user.isFromKeytab())
spark.stop()
`;

const kerberos = kerberosForTests(sparkOf("4.3"));
// Hadoop's servers listen on this machine's loopback, which pods then share.
const cluster = sparkCluster(["--network", "shared"]);

describe.each(["4.3", "3.5"])("a job of Spark %s in HDFS reads and writes it", (line) => {
  const spark = sparkOf(line);

  async function submit(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const script = `/user/ann/job-${line}.py`;
    kerberos.request(`${script}?op=CREATE&overwrite=true`, ["--fail", "--upload-file", cluster.file("job.py", job)]);
    // Spark mounts krb5.conf into the driver only, and HADOOP_CONF_DIR into all pods.
    copyFileSync(kerberos.realm().configuration, join(kerberos.hadoop().confDirectory, "krb5.conf"));
    const settings = [
      `spark.kubernetes.kerberos.krb5.path=${kerberos.realm().configuration}`,
      `spark.kubernetes.container.image=spark:${available(spark).version}`,
      "spark.executor.extraJavaOptions=-Djava.security.krb5.conf=/opt/hadoop/conf/krb5.conf",
      "spark.executor.instances=1",
      "spark.firesteel.staging.remoteFiles=initContainer",
    ];
    const all = [
      ...settings.flatMap((setting) => ["--conf", setting]),
      ...args,
      `hdfs://${script}`,
      `/user/ann/${line}`,
    ];
    const hadoop = { ...environmentOf(kerberos.hadoop(), available(spark)), ...kerberos.environment(env) };
    return cluster.submitFrom(cluster.directory, all, hadoop);
  }

  test("with the delegation tokens that its submission obtained", { timeout: 600_000 }, async (context) => {
    requires(spark)(context);
    const { exit, stdout, stderr } = await submit([], { KRB5CCNAME: kerberos.realm().ticket("ann") });
    expect(stdout, stderr).toContain("rows 100\n");
    expect(stdout).toContain("keytab False\n");
    expect(exit).toBe(0);
  });

  test("with a keytab that its submission ships", { timeout: 600_000 }, async (context) => {
    requires(spark)(context);
    const { exit, stdout, stderr } = await submit(["--principal", "ann", "--keytab", kerberos.realm().keytab("ann")]);
    expect(stdout, stderr).toContain("rows 100\n");
    expect(stdout).toContain("user ann keytab True\n");
    expect(exit).toBe(0);
  });
});
