import { expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { readServiceProperties, serviceOptions } from "./shuffle-service/service-properties.ts";
import { serviceSettings } from "./shuffle-service/service-settings.ts";
import { runShuffleServiceCommand } from "./shuffle-service.ts";

async function problemsOf(args: readonly string[], options: TestHostOptions = {}) {
  try {
    await runShuffleServiceCommand(testHost(options), args);
    return [];
  } catch (error) {
    return isSubmitError(error) ? error.issues.map(({ code, message }) => ({ code, message })) : [String(error)];
  }
}

const settingsOf = (text: string, flags: Readonly<Record<string, string>> = {}) => {
  const host = testHost({ files: { "/s.properties": text } });
  const { properties, issues: problems } = readServiceProperties(host, "/s.properties");
  return serviceSettings({ flag: (option) => flags[option], properties }, { cwd: "/here", problems });
};

test("prints usage on help, with all options", async () => {
  const host = testHost();
  expect(await runShuffleServiceCommand(host, ["--help"])).toBe(0);
  expect(host.outText()).toMatch(/^Usage: firesteel shuffle-service \[options\]/);
  expect(serviceOptions.filter((option) => !host.outText().includes(`--${option} `))).toEqual([]);
});

test("reports all problems together, with key, value and what is allowed", { tags: "long" }, async () => {
  const text = `
spark.shuffle.service.port 99999
spark.network.crypto.cipher AES/XTS
spark.shuffle.io.connectionTimeout soon
spark.firesteel.shuffleService.stateDirectory /x
spark.ssl.rpc.enabled true
spark.authenticate true
`;
  const found = await problemsOf(["--properties-file", "/p", "--max-connections", "0"], { files: { "/p": text } });
  expect(found.map((problem) => (typeof problem === "string" ? problem : problem.code)).sort()).toEqual([
    "SUBMIT_ERR_SETTING_CHOICE",
    "SUBMIT_ERR_SETTING_TYPE",
    "SUBMIT_ERR_SETTING_UNKNOWN",
    "SUBMIT_ERR_SETTING_VALUE",
    "SUBMIT_ERR_SETTING_VALUE",
    "SUBMIT_ERR_SHUFFLE_CONFLICT",
    "SUBMIT_ERR_SHUFFLE_DIRECTORIES",
    "SUBMIT_ERR_SHUFFLE_SECRET_MISSING",
  ]);
  expect(JSON.stringify(found)).toContain("--max-connections");
});

test("requires a decision about authentication", async () => {
  expect(await problemsOf(["--directories", "/d"])).toMatchObject([{ code: "SUBMIT_ERR_SHUFFLE_AUTHENTICATION" }]);
  const files = { "/p": "spark.authenticate false\nspark.network.crypto.enabled true\nspark.local.dir /d" };
  expect(await problemsOf(["--properties-file", "/p"], { files })).toMatchObject([
    { code: "SUBMIT_ERR_SHUFFLE_CONFLICT" },
  ]);
});

test("reports files that do not exist, and unknown arguments", async () => {
  expect(await problemsOf(["--properties-file", "/nowhere"])).toMatchObject([{ code: "SUBMIT_ERR_SHUFFLE_FILE" }]);
  expect(await problemsOf(["--prot", "1"])).toMatchObject([{ code: "SUBMIT_ERR_ARG_UNKNOWN" }]);
});

test("does not start without Linux", async () => {
  const files = { "/p": "spark.authenticate false\nspark.local.dir /d" };
  const found = await problemsOf(["--properties-file", "/p"], { files, platform: "darwin" });
  expect(found).toMatchObject([{ code: "SUBMIT_ERR_SHUFFLE_START" }]);
});

test("accepts the keys of Spark, and options override them", () => {
  const settings = settingsOf(
    `
spark.shuffle.service.port 7447
spark.local.dir /a,/b
spark.authenticate true
spark.authenticate.secret words
spark.network.crypto.enabled true
spark.network.crypto.cipher AES/GCM/NoPadding
spark.network.crypto.authEngineVersion 2
spark.network.crypto.saslFallback false
spark.network.timeout 30s
spark.shuffle.maxChunksBeingTransferred 5
spark.ssl.rpc.enabled true
spark.ssl.rpc.privateKey key.pem
spark.ssl.rpc.certChain cert.pem
spark.executor.memory 1g
`,
    { port: "0", "state-dir": "state" },
  );
  expect(settings).toMatchObject({
    port: 0,
    directories: ["/a", "/b"],
    stateDirectory: "/here/state",
    authentication: {
      secrets: { kind: "text", secret: "words" },
      aes: { cipher: "gcm", version: 2 },
      acceptsSasl: false,
    },
    tls: { kind: "pem", key: "/here/key.pem", certificates: "/here/cert.pem" },
    metrics: undefined,
    limits: { connectionTimeoutMs: 30_000, maxChunksInFlight: 5, maxConnections: 10_000 },
  });
});

test("prefers a secret per application, and can do without a state", () => {
  const text =
    "spark.local.dir /a\nspark.authenticate true\nspark.authenticate.secret x\nspark.shuffle.service.db.enabled false";
  const settings = settingsOf(text, { "secrets-dir": "/secrets", "state-dir": "/state", "metrics-port": "9" });
  expect(settings).toMatchObject({
    authentication: { secrets: { kind: "directory", directory: "/secrets" }, acceptsSasl: true, aes: undefined },
    metrics: { address: undefined, port: 9 },
  });
  expect(settings.stateDirectory).toBeUndefined();
});
