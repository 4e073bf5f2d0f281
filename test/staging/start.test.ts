import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, temporaryDirectory } from "../acceptance/programs.ts";
import { alone, startStaging } from "./staging-program.ts";

const serve = (args: readonly string[], env: Record<string, string> = {}) =>
  run("firesteel", ["staging-server", ...args], { env });

function properties(lines: readonly string[]): string {
  const file = join(temporaryDirectory(), "staging.properties");
  writeFileSync(file, lines.join("\n"));
  return file;
}

test("all invalid settings are reported together, each by the name under which it was set", async () => {
  const file = properties([
    "spark.kubernetes.resourceStagingServer.initialAccessExpirationTimeout=soon",
    "spark.kubernetes.resourceStagingServer.prot=1",
    "spark.app.name=passed over",
  ]);
  const args = ["--port", "70000", "--auth", "some", file];
  const { exit, stderr } = await serve(args, { FIRESTEEL_STAGING_LEASE: "x" });
  expect(exit).toBe(1);
  for (const args of [
    "'70000' in the config \"--port\" is invalid. Must be a port, 0 to 65535",
    "'some' in the config \"--auth\" is invalid. It should be one of 'kubernetes, none'",
    "'soon' in the config \"spark.kubernetes.resourceStagingServer.initialAccessExpirationTimeout\"",
    "'x' in the config \"FIRESTEEL_STAGING_LEASE\"",
    "Unknown setting spark.kubernetes.resourceStagingServer.prot",
    "The staging server has no store: --store is not specified.",
  ]) {
    expect(stderr).toContain(args);
  }
});

test("a missing file is reported with the message of the 2017 server", async () => {
  const { exit, stderr } = await serve(["/nowhere/x.properties"]);
  expect(exit).toBe(1);
  expect(stderr).toContain("Server properties file given at /nowhere/x.properties does not exist or is not a file.");
});

test("the command line overrides the environment, which overrides the file", async () => {
  const own = "spark.firesteel.stagingServer";
  const file = properties([
    "SIZE=ignored",
    `${own}.maxBlobSize=1k`,
    `${own}.maxBundleSize=1k`,
    `${own}.maxNamespaceSize=\${env:LIMIT}`,
    "spark.kubernetes.resourceStagingServer.port=0",
  ]);
  const env = { FIRESTEEL_STAGING_MAX_BLOB_SIZE: "2k", FIRESTEEL_STAGING_MAX_BUNDLE_SIZE: "2k", LIMIT: "9k" };
  const staging = await startStaging([...alone, "--max-blob-size", "3k", file], { env });
  const limits = { maxBlobBytes: 3072, maxBundleBytes: 2048, maxNamespaceBytes: 9216 };
  expect((await staging.sendRequest("GET", "/api/v1/info")).json()).toMatchObject({ limits });
});

test("an unusable store and an occupied port are reported", async () => {
  const store = join(temporaryDirectory(), "file");
  writeFileSync(store, "");
  const { exit, stderr } = await serve(["--store", `${store}/below`, "--port", "0", ...alone]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining("The staging server cannot start: ")]);
  const staging = await startStaging();
  const taken = ["--host", "127.0.0.1", "--port", String(staging.port), ...alone];
  expect((await serve(["--store", join(temporaryDirectory(), "s"), ...taken])).stderr).toContain("EADDRINUSE");
});

test("T37 contradictory TLS settings are rejected with the messages of the 2017 server", async () => {
  const ssl = "spark.ssl.kubernetes.resourceStagingServer";
  const startupError = async (lines: readonly string[]) => {
    const file = properties([`${ssl}.enabled=true`, ...lines.map((line) => `${ssl}.${line}`)]);
    const { exit, stderr } = await serve(["--store", temporaryDirectory(), "--port", "0", ...alone, file]);
    expect(exit).toBe(1);
    return stderr;
  };
  const contradictory = ["keyPem=/k", "serverCertPem=/c", "keyStore=/s", "keyStorePassword=a"];
  const stderrText = await startupError([...contradictory, "keyStorePasswordFile=/p"]);
  for (const args of [
    "Shouldn't provide both key PEM and keyStore files for TLS.",
    "Shouldn't provide both certificate PEM and keyStore files for TLS.",
    "Shouldn't provide both the keyStore password value and the keyStore password file.",
  ]) {
    expect(stderrText).toContain(`requirement failed: ${args}`);
  }
  expect(await startupError(["keyPem=/k"])).toContain(
    "requirement failed: When providing a key PEM file, the certificate PEM file must also be provided.",
  );
  expect(await startupError(["serverCertPem=/c"])).toContain(
    "requirement failed: When providing a certificate PEM file, the key PEM file must also be provided.",
  );
  expect(await startupError(["keyPem=/k", "serverCertPem=/c", "keyPassword=a", "keyPasswordFile=/p"])).toContain(
    "requirement failed: Shouldn't provide both a keyStore key password value and a keyStore key password file.",
  );
  expect(await startupError(["keyPem=/nowhere/k", "serverCertPem=/nowhere/c"])).toContain(
    "Key PEM file provided at /nowhere/k does not exist or is not a file.",
  );
  expect(await startupError(["keyStore=/nowhere/s", "keyStorePasswordFile=/nowhere/p"])).toContain(
    "KeyStore password file provided at /nowhere/p does not exist or is not a file.",
  );
});
