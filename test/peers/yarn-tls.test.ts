import { expect, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith } from "../test-with.ts";
import { defaultArgs, environmentOf, hadoopForTests, idIn, jarFor } from "./yarn-applications.ts";

const spark = sparkOf("4.3");

const hadoop = hadoopForTests(spark, {
  "yarn.http.policy": "HTTPS_ONLY",
  "dfs.http.policy": "HTTPS_ONLY",
  "dfs.namenode.https-address": "localhost:0",
  "dfs.datanode.https.address": "localhost:0",
});

describeWith(spark)("a YARN and HDFS with HTTPS only", {}, () => {
  const here = available(spark);
  const submit = (env: Readonly<Record<string, string>>) =>
    run("spark-submit", [...defaultArgs(here), "--class", "Pi", jarFor(hadoop(), here)], {
      env: { ...environmentOf(hadoop(), here), ...env },
    });

  test("run an application of a client that trusts them", async () => {
    const ended = await submit({ NODE_EXTRA_CA_CERTS: hadoop().authority });
    expect(ended.exit, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/tracking URL: https:/);
    expect(hadoop().logsOf(idIn(ended), "stdout")).toMatch(/Pi is roughly 3/);
  });

  test("get nothing from a client that does not trust them", async () => {
    const ended = await submit({});
    expect(ended.exit).toBe(1);
    expect(ended.stderr).toMatch(/self-signed certificate[\s\S]*NODE_EXTRA_CA_CERTS/);
  });
});
