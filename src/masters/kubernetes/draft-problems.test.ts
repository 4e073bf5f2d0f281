import { describe, expect, test } from "vitest";
import { draftProblems } from "./test-draft.ts";

describe("problems", () => {
  test("of values are reported together, in Spark's order", async () => {
    expect(
      await draftProblems({
        fields: { executorMemory: "1.5g", driverCores: "0", executorCores: "x", numExecutors: "-1" },
        conf: { "spark.driver.memory": "12x", "spark.driver.extraJavaOptions": "-Da='x" },
        more: { propertiesFile: "nope" },
      }),
    ).toEqual([
      "SUBMIT_ERR_PROPERTIES_FILE: Invalid properties file 'nope'.",
      "SUBMIT_ERR_OPTION_STRING: Invalid option string: -Da='x",
      "SUBMIT_ERR_NOT_POSITIVE: Driver memory must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Executor memory must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Driver cores must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Executor cores must be a positive number",
      "SUBMIT_ERR_NOT_POSITIVE: Number of executors must be a positive number",
    ]);
  });

  test.each([
    [{ conf: { "spark.executor.instances": "0", "spark.dynamicAllocation.enabled": "TRUE" } }, undefined],
    [{ conf: { "spark.firesteel.shuffle": "service", "spark.firesteel.shuffle.directories": "/a,/b" } }, undefined],
    [
      { conf: { "spark.firesteel.shuffle": "service", "spark.shuffle.service.enabled": "false" } },
      "SUBMIT_ERR_SHUFFLE_PROFILE: spark.shuffle.service.enabled is false, but spark.firesteel.shuffle=service needs true.",
    ],
    [
      { fields: { remote: "sc://h" } },
      "SUBMIT_ERR_REMOTE_WITH_MASTER: Remote cannot be specified with master and/or deploy mode.",
    ],
    [
      { fields: { proxyUser: "u", principal: "p" } },
      "SUBMIT_ERR_PROXY_AND_PRINCIPAL: Only one of --proxy-user or --principal can be provided.",
    ],
    [{ fields: { proxyUser: "" } }, "SUBMIT_ERR_PROXY_USER_EMPTY: Null user"],
    [
      { fields: { principal: "p", keytab: "no" } },
      "SUBMIT_ERR_KEYTAB_MISSING: requirement failed: Keytab file: no does not exist",
    ],
    [
      { more: { fields: {} }, conf: { "spark.submit.deployMode": "foo" } },
      "SUBMIT_ERR_DEPLOY_MODE: Deploy mode must be either client or cluster",
    ],
    [
      { more: { propertiesFile: "p" }, machine: { files: { "/w/p": "spark.a=\\u00zz" } } },
      "SUBMIT_ERR_PROPERTIES_ESCAPE: Malformed \\uxxxx encoding.",
    ],
    [
      { fields: { master: "foo" } },
      "SUBMIT_ERR_MASTER_UNKNOWN: Master must either be yarn or start with spark, k8s, or local",
    ],
    [
      { fields: { master: "k8s:h" } },
      "SUBMIT_ERR_MASTER_UNKNOWN: Master must either be yarn or start with spark, k8s, or local",
    ],
    [
      { fields: { master: "k8s://ftp://h" } },
      "SUBMIT_ERR_MASTER_SCHEME: Invalid Kubernetes master scheme: ftp found in URL: ftp://h",
    ],
    [
      { fields: { master: "local" } },
      'SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is not compatible with master "local"',
    ],
    [{ fields: { master: "sparkx" } }, "SUBMIT_ERR_CLASS_NOT_LOADED: Failed to load class ."],
    [{ resource: "spark-shell" }, "SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is not applicable to Spark shells."],
    [
      { fields: { master: "yarn" } },
      "SUBMIT_ERR_HADOOP_CONF_DIR: When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.",
    ],
    [
      { fields: { master: "spark://h:1" }, resource: "a.R" },
      "SUBMIT_ERR_CLUSTER_MODE: Cluster deploy mode is currently not supported for R applications on standalone clusters.",
    ],
    [
      { conf: { "spark.driver.defaultJavaOptions": "-Xmx1g" } },
      "SUBMIT_ERR_HEAP_OPTION: Not allowed to specify max heap(Xmx) memory settings through java options (was -Xmx1g). Use the corresponding --driver-memory or spark.driver.memory configuration instead.",
    ],
  ])("%j", async (draft, message) => {
    expect((await draftProblems(draft))[0]).toBe(message ?? "undefined");
  });

  test("depend on the Spark line's grammar", async () => {
    const old = { "spark.firesteel.sparkVersion": "3.5" };
    expect(await draftProblems({ fields: { master: "k8s:h" }, conf: old })).toEqual([
      "SUBMIT_ERR_MASTER_PREFIX: requirement failed: Kubernetes master URL must start with k8s://.",
    ]);
    expect(await draftProblems({ fields: { executorMemory: "2GiB" }, conf: old })).toEqual([
      "SUBMIT_ERR_NOT_POSITIVE: Executor memory must be a positive number",
    ]);
    expect(await draftProblems({ fields: { executorMemory: "2GiB" } })).toEqual(["undefined"]);
  });

  test("other masters and client mode are rejected as not served", async () => {
    for (const fields of [
      { deployMode: "client" },
      { master: "local[2]", deployMode: "client" },
      { master: "spark://h:1" },
    ]) {
      expect((await draftProblems({ fields }))[0]).toMatch(
        /^SUBMIT_ERR_MASTER_NOT_SERVED: .* without a JVM, only Kubernetes in cluster mode is/,
      );
    }
  });
});
