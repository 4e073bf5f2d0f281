import { describe, expect, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { environmentOf, hadoopForTests, idIn, jarFor, sparksOf, usualOf } from "./yarn-applications.ts";

const [spark] = sparksOf(["4.3"]);

const hadoop = hadoopForTests(spark, {
  "yarn.http.policy": "HTTPS_ONLY",
  "dfs.http.policy": "HTTPS_ONLY",
  "dfs.namenode.https-address": "localhost:0",
  "dfs.datanode.https.address": "localhost:0",
});

describe.skipIf(spark === undefined)("a YARN and HDFS that speak HTTPS alone", () => {
  const here = spark ?? { home: "", version: "" };
  const submit = (env: Readonly<Record<string, string>>) =>
    run("spark-submit", [...usualOf(here), "--class", "Pi", jarFor(hadoop(), here)], {
      env: { ...environmentOf(hadoop(), here), ...env },
    });

  test("run an application of who trusts them", async () => {
    const ended = await submit({ NODE_EXTRA_CA_CERTS: hadoop().authority });
    expect(ended.exit, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/tracking URL: https:/);
    expect(hadoop().logsOf(idIn(ended), "stdout")).toMatch(/Pi is roughly 3/);
  });

  test("get nothing from who does not", async () => {
    const ended = await submit({});
    expect(ended.exit).toBe(1);
    expect(ended.stderr).toMatch(/self-signed certificate[\s\S]*NODE_EXTRA_CA_CERTS/);
  });
});
