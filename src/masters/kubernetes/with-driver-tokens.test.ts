import { describe, expect, test } from "vitest";
import { sparkLog } from "../../host/log.ts";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { type TestSubmission, testDriver, testFacts } from "../../plan/test-driver.ts";
import { parseTokenStorage, printTokenStorage } from "../../values/delegation-token.ts";
import { printHadoopXml } from "../../values/hadoop-xml.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { withDriverTokens } from "./with-driver-tokens.ts";

const secure = { "spark.hadoop.hadoop.security.authentication": "kerberos" };
const keytab = { "spark.kerberos.keytab": "/k", "spark.kerberos.principal": "ann/admin@EXAMPLE.COM" };
const outcome: KubernetesOutcome = {
  ...{ master: "k8s://m", appName: "a", appId: "spark-1", namespace: "n", podName: "p" },
  ...{ behaviors: testDriver({}).behaviors, end: { kind: "notAwaited", pod: {} } },
};

/** Ticket cache of `ann@EXAMPLE.COM` in klist's text. */
const withTicket: TestHostOptions = {
  env: { KRB5CCNAME: "KCM:" },
  spawn(child) {
    child.write(1, "Default principal: ann@EXAMPLE.COM\n");
    child.exit(0);
  },
};

/** Submits a driver. Returns its facts after the login. */
async function factsOf(submission: TestSubmission, options: TestHostOptions = withTicket) {
  const host = testHost(options);
  const planned = testDriver(submission);
  let facts = planned.facts;
  const submitted = withDriverTokens({ host, log: sparkLog(host) }, async (complete) => {
    facts = (await complete(planned)).facts;
    return outcome;
  });
  expect(await host.settle(submitted)).toBe(outcome);
  return { facts, planned, output: host.errorText() };
}

describe("a driver", () => {
  test("is not changed without Kerberos, without a ticket, or if the step is excluded", async () => {
    const excluded = {
      ...secure,
      "spark.kubernetes.driver.pod.excludedFeatureSteps":
        "org.apache.spark.deploy.k8s.features.KerberosConfDriverFeatureStep",
    };
    for (const [settings, options] of [
      [{}, withTicket],
      [secure, {}],
      [excluded, withTicket],
    ] as const) {
      const { facts, planned } = await factsOf({ settings }, options);
      expect(facts).toBe(planned.facts);
    }
  });

  test.each<[string, TestSubmission, TestHostOptions]>([
    ["with a keytab", { settings: { ...secure, ...keytab } }, {}],
    [
      "with tokens in a Secret",
      { settings: { ...secure, "spark.kubernetes.kerberos.tokenSecret.name": "ts" } },
      withTicket,
    ],
    ["if no file system needs a token", { settings: secure }, withTicket],
    [
      "if they are not wanted",
      {
        settings: {
          ...secure,
          "spark.hadoop.fs.defaultFS": "hdfs://nn",
          "spark.security.credentials.hadoopfs.enabled": "false",
        },
      },
      withTicket,
    ],
  ])("gets no tokens %s, but the user of the login", async (_, submission, options) => {
    const { facts, output } = await factsOf(submission, options);
    expect(facts).toMatchObject({ userName: "ann", kerberos: { login: { userName: "ann", tokens: undefined } } });
    expect(output).toContain("Setting spark.hadoop.yarn.resourcemanager.principal to ann\n");
  });

  test("gets the tokens of the user's file in version 0, unless it runs as another user", async () => {
    const token = { identifier: Buffer.from("i"), password: Buffer.from("p"), kind: "k", service: "s" };
    const credentials = { tokens: new Map([["s", token]]), secrets: new Map() };
    const tokens = { path: "/t", bytes: printTokenStorage(credentials, 1) };
    const submission = { settings: secure, facts: { kerberos: { ...testFacts.kerberos, tokens } } };
    const { facts } = await factsOf(submission);
    const file = facts.kerberos.login?.tokens ?? new Uint8Array();
    expect(file[4]).toBe(0);
    expect(parseTokenStorage(file)).toEqual(credentials);
    const other = await factsOf({ ...submission, proxyUser: "bob" });
    expect(other.facts.kerberos.login).toEqual({ userName: "bob", tokens: undefined });
  });
});

test("a driver that needs tokens of Hive is rejected without a keytab", async () => {
  const files = { "/h/hive-site.xml": printHadoopXml([["hive.metastore.uris", "thrift://ms:9083"]]) };
  const options = { ...withTicket, env: { HADOOP_CONF_DIR: "/h", KRB5CCNAME: "KCM:" }, files };
  await expect(factsOf({ settings: secure }, options)).rejects.toMatchObject({ code: "SUBMIT_ERR_KERBEROS_TOKENS" });
  await expect(factsOf({ settings: { ...secure, ...keytab } }, options)).resolves.toBeDefined();
});
