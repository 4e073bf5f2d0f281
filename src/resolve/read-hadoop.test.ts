import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../host/test-host.ts";
import { testRequest } from "../plan/test-driver.ts";
import { readHadoopDirectory, readKerberosFiles } from "./read-hadoop.ts";

const excluded = "spark.kubernetes.driver.pod.excludedFeatureSteps";
const features = "org.apache.spark.deploy.k8s.features";

function directory(
  options: TestHostOptions,
  settings: Readonly<Record<string, string>> = {},
  hadoopConfSize: "limited" | "spark" = "limited",
) {
  return readHadoopDirectory(testHost(options), testRequest({ settings, behaviors: { hadoopConfSize } }));
}

function kerberos(options: TestHostOptions, settings: Readonly<Record<string, string>>) {
  return readKerberosFiles(testHost(options), testRequest({ settings }).conf);
}

describe("HADOOP_CONF_DIR", () => {
  const files = { "/h/core-site.xml": "<a/>", "/h/.hidden": "h", "/h/sub/x.xml": "x" };

  test("contributes its regular files, also hidden ones, but not those in subdirectories", () => {
    const read = directory({ env: { HADOOP_CONF_DIR: "/h" }, files });
    expect(read.ok && read.value?.files?.map(({ name }) => name)).toEqual([".hidden", "core-site.xml"]);
  });

  test.each([["/nope"], [""], ["/h/core-site.xml"]])("can be something else than a directory: %j", (path) => {
    const read = directory({ env: { HADOOP_CONF_DIR: path }, files });
    expect(read).toEqual({ ok: true, value: { path, files: undefined } });
  });

  test("can be unset", () => {
    expect(directory({})).toEqual({ ok: true, value: undefined });
  });

  test("is not read if its step is excluded", () => {
    const settings = { [excluded]: `${features}.HadoopConfDriverFeatureStep` };
    const read = directory({ env: { HADOOP_CONF_DIR: "/h" }, files }, settings);
    expect(read).toEqual({ ok: true, value: { path: "/h", files: [] } });
  });

  test("must fit into a ConfigMap, except with exactly Spark's behavior", () => {
    const options = {
      env: { HADOOP_CONF_DIR: "/h" },
      files: { ...files, "/h/big.jar": "x".repeat(1_048_577) },
    };
    expect(directory(options)).toMatchObject({
      ok: false,
      issues: [{ code: "SUBMIT_ERR_HADOOP_CONF_SIZE", hint: expect.stringContaining("big.jar") }],
    });
    expect(directory(options, {}, "spark").ok).toBe(true);
  });
});

describe("files for Kerberos", () => {
  test("are plain paths, relative to the working directory", () => {
    const settings = {
      "spark.kubernetes.kerberos.krb5.path": "etc/krb5.conf",
      "spark.kerberos.keytab": "/k/me.keytab",
      "spark.kerberos.principal": "p@R",
    };
    const files = { "/home/tester/job/etc/krb5.conf": "K", "/k/me.keytab": "T", "/t": "HDTS" };
    const read = kerberos({ files, env: { HADOOP_TOKEN_FILE_LOCATION: "/t" } }, settings);
    expect(read).toMatchObject({
      ok: true,
      value: { krb5: { name: "krb5.conf" }, keytab: { name: "me.keytab" }, tokens: { path: "/t" } },
    });
  });

  test("that are missing are reported together", () => {
    const settings = {
      "spark.kubernetes.kerberos.krb5.path": "/nope.conf",
      "spark.kerberos.keytab": "/nope.keytab",
    };
    expect(kerberos({}, settings)).toMatchObject({
      ok: false,
      issues: [
        {
          code: "SUBMIT_ERR_FILE_UNREADABLE",
          message:
            "Cannot read the file of spark.kubernetes.kerberos.krb5.path: /nope.conf (No such file or directory)",
        },
        { code: "SUBMIT_ERR_FILE_UNREADABLE" },
      ],
    });
  });

  test("are not read beside a ConfigMap with krb5.conf: the plan rejects both together", () => {
    const prefix = "spark.kubernetes.kerberos.krb5";
    const read = kerberos({}, { [`${prefix}.path`]: "/nope", [`${prefix}.configMapName`]: "m" });
    expect(read).toMatchObject({ ok: true, value: { krb5: undefined } });
  });

  test("are not read if their step is excluded; a keytab in the image is never read", () => {
    const none = { krb5: undefined, keytab: undefined, tokens: undefined };
    const settings = { "spark.kerberos.keytab": "local:///k", "spark.kerberos.principal": "p@R" };
    expect(kerberos({}, settings)).toEqual({ ok: true, value: none });
    const excludedStep = {
      "spark.kubernetes.kerberos.krb5.path": "/nope.conf",
      [excluded]: `${features}.KerberosConfDriverFeatureStep`,
    };
    expect(kerberos({ env: { HADOOP_TOKEN_FILE_LOCATION: "/t" } }, excludedStep)).toEqual({
      ok: true,
      value: none,
    });
  });

  test("missing tokens are reported to the step", () => {
    const read = kerberos({ env: { HADOOP_TOKEN_FILE_LOCATION: "/nope" } }, {});
    expect(read.ok && read.value.tokens).toEqual({ path: "/nope", bytes: undefined });
  });
});
