import { expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { optionTexts, readServerProperties } from "./staging-server/option-texts.ts";
import { serverSettings } from "./staging-server/server-settings.ts";
import { runStagingServerCommand } from "./staging-server.ts";

async function codesOf(args: readonly string[], options: TestHostOptions = {}): Promise<readonly string[]> {
  try {
    await runStagingServerCommand(testHost(options), args);
    return [];
  } catch (error) {
    return isSubmitError(error) ? error.issues.map(({ code }) => code) : [String(error)];
  }
}

const settingsOf = (text: string) => {
  const host = testHost({ files: { "/s.properties": text } });
  const { properties, issues: problems } = readServerProperties(host, "/s.properties");
  return serverSettings(
    optionTexts(host, () => undefined, properties),
    { cwd: "/here", problems },
  );
};

test("prints usage on help", async () => {
  const host = testHost();
  expect(await runStagingServerCommand(host, ["--help"])).toBe(0);
  expect(host.outText()).toMatch(/^Usage: firesteel staging-server --store DIR/);
});

test("reports all problems with their codes", { tags: "long" }, async () => {
  expect(await codesOf(["--prot", "1"])).toEqual(["SUBMIT_ERR_ARG_UNKNOWN"]);
  expect(await codesOf(["/nowhere"])).toEqual(["SUBMIT_ERR_STAGING_PROPERTIES"]);
  expect(await codesOf(["--lease", "x", "--auth", "x"])).toEqual([
    "SUBMIT_ERR_STAGING_STORE",
    "SUBMIT_ERR_SETTING_CHOICE",
    "SUBMIT_ERR_SETTING_TYPE",
  ]);
  const files = { "/broken": "a=\\u12", "/round": "spark.a=${spark.a}" };
  expect(await codesOf(["/broken"], { files })).toEqual(["SUBMIT_ERR_STAGING_START"]);
  expect(await codesOf(["--store", "/s", "/round"], { files })).toEqual(["SUBMIT_ERR_SETTING_CIRCULAR"]);
  const alone = ["--store", "/s", "--auth", "none", "--owners", "none"];
  expect(await codesOf([...alone, "--tls-key", "/k"])).toEqual(["SUBMIT_ERR_STAGING_TLS"]);
});

test("accepts the keys of the server of 2017", () => {
  const settings = settingsOf(`
spark.firesteel.stagingServer.store=data
spark.kubernetes.resourceStagingServer.port=10001
spark.kubernetes.resourceStagingServer.initialAccessExpirationTimeout=5m
spark.kubernetes.resourceStagingServer.apiServer.url=https://api
spark.kubernetes.authenticate.resourceStagingServer.useServiceAccountCredentials=false
spark.ssl.kubernetes.resourceStagingServer.keyPem=/k
spark.ssl.serverCertPem=/c
`);
  expect(settings).toMatchObject({
    store: { kind: "directory", directory: "/here/data" },
    port: 10_001,
    times: { initialExpiryMs: 300_000 },
    cluster: { server: "https://api", usesServiceAccount: false },
    tls: { enabled: undefined, keyPem: "/k", serverCertPem: "/c" },
  });
});

test("accepts a directory of an HDFS as store", () => {
  const uri = "hdfs://nameservice1/user/firesteel/staging";
  expect(settingsOf(`spark.firesteel.stagingServer.store=${uri}`).store).toEqual({
    kind: "hdfs",
    uri,
    principal: undefined,
    keytab: undefined,
  });
});

test("accepts a bucket as store", async () => {
  const settings = settingsOf("spark.firesteel.stagingServer.store=s3://bucket/a/b/");
  expect(settings.store).toMatchObject({ kind: "s3", bucket: "bucket", prefix: "a/b/" });
  expect(await codesOf(["--store", "s3://Bucket", "--auth", "none", "--owners", "none"])).toEqual([
    "SUBMIT_ERR_SETTING_VALUE",
  ]);
});
