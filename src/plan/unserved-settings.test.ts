import { expect, test } from "vitest";
import { testDriver } from "./test-driver.ts";
import { unservedIssues, unservedLog } from "./unserved-settings.ts";

function keysRefused(settings: Readonly<Record<string, string>>): readonly string[] {
  return unservedIssues(testDriver({ settings }))
    .filter(({ code }) => code === "SUBMIT_ERR_SETTING_NOT_SERVED")
    .map(({ message }) => message.split(" ")[0] ?? "");
}

const excluded = "spark.kubernetes.driver.pod.excludedFeatureSteps";

test("settings of Hadoop and Kerberos are refused, unless their step is left out", () => {
  const krb5 = { "spark.kubernetes.kerberos.krb5.configMapName": "m" };
  expect(keysRefused({ ...krb5, "spark.kubernetes.hadoop.configMapName": "h" })).toEqual([
    "spark.kubernetes.hadoop.configMapName",
    "spark.kubernetes.kerberos.krb5.configMapName",
  ]);
  const step = "org.apache.spark.deploy.k8s.features.KerberosConfDriverFeatureStep";
  expect(keysRefused({ ...krb5, [excluded]: step })).toEqual([]);
  expect(keysRefused({})).toEqual([]);
});

test("a keytab in the image is the driver's own business", () => {
  const keytab = "spark.kerberos.keytab";
  const principal = { "spark.kerberos.principal": "p@R" };
  expect(keysRefused({ ...principal, [keytab]: "local:///k" })).toEqual([]);
  expect(keysRefused({ ...principal, [keytab]: "/k" })).toHaveLength(2);
  expect(keysRefused({ [keytab]: "local:///k" })).toEqual([keytab]);
});

test("a Hadoop configuration of this machine is told of", () => {
  expect(unservedLog(testDriver({ facts: { env: { HADOOP_CONF_DIR: "/h" } } }))).toHaveLength(1);
  expect(unservedLog(testDriver())).toEqual([]);
});
