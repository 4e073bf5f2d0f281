import { describe, expect, test } from "vitest";
import type { KerberosFiles } from "../plan/facts.ts";
import { type TestSubmission, testDriver, testFacts } from "../plan/test-driver.ts";
import { kerberosConf } from "./kerberos-conf.ts";

const krb5 = { name: "my-krb.txt", bytes: Buffer.from("[libdefaults]\n") };
const keytab = { name: "me.keytab", bytes: Uint8Array.of(1, 2, 3) };
const tokenBytes = Buffer.from("HDTS\0\x01\x05alias");
const tokens = { path: "/t", bytes: tokenBytes };
const credentials = { "spark.kerberos.keytab": "/k/me.keytab", "spark.kerberos.principal": "p@R" };
const tokenSecret = {
  "spark.kubernetes.kerberos.tokenSecret.name": "ts",
  "spark.kubernetes.kerberos.tokenSecret.itemKey": "it",
};
const secure = { "spark.hadoop.hadoop.security.authentication": "kerberos" };

function driverWith(files: Partial<KerberosFiles>, submission: TestSubmission = {}) {
  return testDriver({ ...submission, facts: { kerberos: { ...testFacts.kerberos, ...files } } });
}

function contributed(files: Partial<KerberosFiles>, submission: TestSubmission = {}) {
  return kerberosConf.contribute(driverWith(files, submission));
}

function issues(settings: Readonly<Record<string, string>>) {
  return kerberosConf.check?.(testDriver({ settings }));
}

describe("krb5.conf", () => {
  const mount = { name: "krb5-file", mountPath: "/etc/krb5.conf", subPath: "krb5.conf" };
  const name = "golden-aaaaaa1-krb5-file";

  test("of this machine is mounted in the pod regardless of its name", () => {
    expect(contributed({ krb5 })).toMatchObject({
      volumes: [{ name: "krb5-file", configMap: { name, items: [{ key: "my-krb.txt", path: "krb5.conf" }] } }],
      mounts: [mount],
      resources: [
        { kind: "ConfigMap", metadata: { name }, immutable: true, data: { "my-krb.txt": "[libdefaults]\n" } },
      ],
    });
  });

  test("keeps its name in strict mode, and is then not mounted", () => {
    const { volumes } = contributed({ krb5 }, { behaviors: { krb5Mount: "spark" } });
    expect(volumes?.[0]?.configMap?.items).toEqual([{ key: "my-krb.txt", path: "my-krb.txt" }]);
  });

  test("of a ConfigMap is mounted from it", () => {
    const settings = { "spark.kubernetes.kerberos.krb5.configMapName": "km" };
    expect(contributed({}, { settings })).toEqual({
      volumes: [{ name: "krb5-file", configMap: { name: "km" } }],
      mounts: [mount],
    });
  });

  test("must be UTF-8 since Spark 4.1", () => {
    const binary = { name: "krb5.conf", bytes: Uint8Array.of(0xff) };
    expect(kerberosConf.check?.(driverWith({ krb5: binary }))).toMatchObject([{ code: "SUBMIT_ERR_NOT_UTF8" }]);
    expect(kerberosConf.check?.(driverWith({ krb5: binary }, { line: "4.0" }))).toEqual([]);
  });
});

describe("incomplete pairs of settings are rejected:", () => {
  const must = "you must also specify";
  test.each([
    [
      { "spark.kerberos.principal": "p@R" },
      `requirement failed: If a Kerberos principal is specified ${must} a Kerberos keytab`,
    ],
    [
      { "spark.kerberos.keytab": "local:///k" },
      `requirement failed: If a Kerberos keytab is specified ${must} a Kerberos principal`,
    ],
    [
      { "spark.kubernetes.kerberos.tokenSecret.name": "ts" },
      `requirement failed: If a secret storing a Kerberos Delegation Token is specified ${must} the item-key where the data is stored`,
    ],
    [
      { "spark.kubernetes.kerberos.tokenSecret.itemKey": "it" },
      `requirement failed: If a secret data item-key where the data of the Kerberos Delegation Token is specified ${must} the name of the secret`,
    ],
  ])("%j", (settings, message) => {
    expect(issues(settings)).toMatchObject([{ code: "SUBMIT_ERR_KERBEROS_INCOMPLETE", message }]);
  });

  test("and so is a krb5.conf both as a file and in a ConfigMap", () => {
    const key = "spark.kubernetes.kerberos.krb5";
    expect(issues({ [`${key}.path`]: "/k", [`${key}.configMapName`]: "m" })).toMatchObject([
      {
        code: "SUBMIT_ERR_KRB5_CONFLICT",
        message: expect.stringContaining("Do not specify both a Krb5 local file and the ConfigMap"),
      },
    ]);
  });
});

test("a keytab without keys of the principal is rejected", () => {
  const content = Buffer.from([0, 1, 0, 1, 82, 0, 3, 97, 110, 110, 0, 0, 0, 1]);
  const bytes = Buffer.concat([Buffer.from([5, 2, 0, 0, 0, content.length]), content]);
  const issuesFor = (principal: string) => {
    const settings = { "spark.kerberos.keytab": "/k/me.keytab", "spark.kerberos.principal": principal };
    return kerberosConf.check?.(driverWith({ keytab: { name: "me.keytab", bytes } }, { settings }));
  };
  expect(issuesFor("eve@R")).toMatchObject([
    {
      code: "SUBMIT_ERR_KEYTAB_PRINCIPAL",
      message: "The keytab /k/me.keytab has no keys of eve@R, but of ann@R.",
    },
  ]);
  expect([...(issuesFor("ann@R") ?? []), ...(issuesFor("ann") ?? [])]).toEqual([]);
});

describe("the driver logs in", () => {
  test("with a keytab of this machine first", () => {
    const name = "golden-aaaaaa1-kerberos-keytab";
    expect(contributed({ keytab, tokens }, { settings: { ...credentials, ...tokenSecret } })).toEqual({
      volumes: [{ name: "kerberos-keytab", secret: { secretName: name } }],
      mounts: [{ name: "kerberos-keytab", mountPath: "/mnt/secrets/kerberos-keytab" }],
      properties: { "spark.kerberos.keytab": "/mnt/secrets/kerberos-keytab/me.keytab" },
      resources: [
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name },
          immutable: true,
          data: { "me.keytab": "AQID" },
        },
      ],
    });
  });

  test("with the tokens of a Secret", () => {
    expect(contributed({ tokens }, { settings: tokenSecret })).toEqual({
      volumes: [{ name: "hadoop-secret", secret: { secretName: "ts" } }],
      mounts: [{ name: "hadoop-secret", mountPath: "/mnt/secrets/hadoop-credentials" }],
      env: [{ name: "HADOOP_TOKEN_FILE_LOCATION", value: "/mnt/secrets/hadoop-credentials/it" }],
    });
  });

  test("with the tokens of a file of this machine", () => {
    const name = "golden-aaaaaa1-delegation-tokens";
    expect(contributed({ tokens })).toMatchObject({
      volumes: [{ name: "hadoop-secret", secret: { secretName: name } }],
      env: [{ name: "HADOOP_TOKEN_FILE_LOCATION", value: "/mnt/secrets/hadoop-credentials/hadoop-tokens" }],
      resources: [{ kind: "Secret", metadata: { name }, data: { "hadoop-tokens": tokenBytes.toString("base64") } }],
    });
  });

  test("with the tokens that the submission obtained, also for another user, and with the user who renews them", () => {
    const login = { userName: "bob", tokens: Buffer.from("all") };
    const contribution = contributed({ tokens, login }, { settings: secure, proxyUser: "bob" });
    expect(contribution).toMatchObject({
      env: [{ name: "HADOOP_TOKEN_FILE_LOCATION", value: "/mnt/secrets/hadoop-credentials/hadoop-tokens" }],
      properties: { "spark.hadoop.yarn.resourcemanager.principal": "bob" },
      resources: [{ kind: "Secret", data: { "hadoop-tokens": "YWxs" } }],
    });
    expect(contribution.warnings).toBeUndefined();
  });

  test.each([
    ["a keytab in the image", { settings: { ...credentials, "spark.kerberos.keytab": "local:///k" } }],
    ["another user", { proxyUser: "bob" }],
  ])("without tokens for %s", (_case, submission) => {
    expect(contributed({ tokens }, submission)).toEqual({});
  });

  test.each([
    [undefined, "Token file /t does not exist"],
    [Buffer.from("garbage!"), "Fail to get credentials: Exception reading /t: Bad header found in token storage."],
  ])("without unreadable tokens, with a warning", (bytes, warning) => {
    expect(contributed({ tokens: { path: "/t", bytes } })).toEqual({ warnings: [warning] });
  });
});

describe("Hadoop with Kerberos", () => {
  const empty = { path: "/t", bytes: Buffer.from("HDTS\0\0\0") };

  test("causes a warning with alternatives for a driver without tokens", () => {
    const { warnings = [] } = contributed({ tokens: empty }, { settings: secure });
    expect(warnings).toEqual([expect.stringContaining("--principal and --keytab")]);
    expect(warnings).toEqual([expect.stringContaining("spark.kubernetes.kerberos.tokenSecret.name")]);
    expect(contributed({})).toEqual({});
    expect(contributed({ tokens }, { settings: secure }).warnings).toBeUndefined();
  });

  test.each([
    ["<property><name>hadoop.security.authentication</name>\n <value>KERBEROS</value></property>", 1],
    ["<property><name>hadoop.security.authentication</name><value>simple</value></property>", 0],
    ["<!--<name>hadoop.security.authentication</name><value>kerberos</value>-->", 0],
  ])("is detected by its core-site.xml: %s", (xml, count) => {
    const files = [{ name: "core-site.xml", bytes: Buffer.from(xml) }];
    const driver = testDriver({ facts: { hadoopDirectory: { path: "/h", files } } });
    expect(kerberosConf.contribute(driver).warnings ?? []).toHaveLength(count);
  });
});

describe("the hint about krb5.conf", () => {
  const excluded = {
    "spark.kubernetes.driver.pod.excludedFeatureSteps":
      "org.apache.spark.deploy.k8s.features.KerberosConfDriverFeatureStep",
  };
  test.each<[string, TestSubmission, number]>([
    ["not logged for a submission without Kerberos", {}, 0],
    ["logged with Kerberos settings", { settings: credentials }, 1],
    ["logged if Hadoop requires Kerberos", { settings: secure }, 1],
    ["not logged if the step is excluded", { settings: { ...credentials, ...excluded } }, 0],
    ["always logged with Spark's behavior", { behaviors: { kerberosHint: "spark" }, settings: excluded }, 1],
    [
      "not logged if a krb5.conf is configured",
      { settings: { "spark.kubernetes.kerberos.krb5.configMapName": "m" } },
      0,
    ],
  ])("is %s", (_when, submission, count) => {
    expect(kerberosConf.announce?.(testDriver(submission))).toHaveLength(count);
  });
});
