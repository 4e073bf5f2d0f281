import { describe, expect, test } from "vitest";
import { localizedCodes, localizedIssues, type Machine, stagedFiles } from "../test-localized.ts";

describe("the transport", () => {
  test.each([
    [{ "/me/a": null }, {}, "SUBMIT_ERR_STAGING_NOT_A_FILE"],
    [{}, {}, "SUBMIT_ERR_DEPENDENCY_MISSING"],
    [{ "/me/a": "a" }, { "spark.firesteel.staging.transport": "none" }, "SUBMIT_ERR_STAGING_NONE"],
    [{ "/me/a": "a" }, { "spark.firesteel.staging.transport": "pigeon" }, "SUBMIT_ERR_SETTING_CHOICE"],
  ])("%j with %j: %s", (machine, more, code) => {
    expect(localizedCodes({ settings: { "spark.files": "file:/me/a", ...more }, machine })).toEqual([code]);
  });

  test.each([
    ["Ingress", {}, ["address"]],
    ["Gateway", {}, ["address", "gateway"]],
    ["Gateway", { address: "https://push.example", gateway: "public/main" }, []],
    ["NodePort", { tls: "true" }, ["tls.keyPem", "tls.serverCertPem"]],
    ["NodePort", { tls: "true", "tls.keyPem": "/k", "tls.serverCertPem": "local:///c" }, []],
    ["PortForward", { tls: "true" }, []],
  ])("%s with %j needs %j: SUBMIT_ERR_STAGING_PUSH_SETTING", (type, more, missing) => {
    const prefix = "spark.firesteel.staging.push";
    const settings = {
      "spark.files": "file:/me/a",
      "spark.firesteel.staging.transport": "push",
      [`${prefix}.serviceManagerType`]: type,
      ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`${prefix}.${name}`, value])),
    };
    const issues = localizedIssues({ settings, machine: { "/me/a": "a" } });
    expect(issues.map(({ message }) => message.replace(/^.* but /, ""))).toEqual(
      missing.map((name) => `${prefix}.${name} is not set.`),
    );
  });

  test("T79: rejects Secrets of one byte more than the limit, counted as base64", () => {
    const settings = {
      "spark.files": "file:/me/a,file:/me/b",
      "spark.firesteel.staging.transport": "secret",
    };
    const bytes = (sum: number) => ({ "/me/a": sum - 3, "/me/b": 3 });
    expect(localizedCodes({ settings, machine: bytes((512 * 1024 * 3) / 4) })).toEqual([]);
    const [found, ...more] = localizedIssues({ settings, machine: bytes((512 * 1024 * 3) / 4 + 1) });
    expect(more).toEqual([]);
    expect(found?.code).toBe("SUBMIT_ERR_STAGING_TOO_LARGE");
    expect(found?.hint).toContain("Set spark.firesteel.staging.server to a staging server");
    expect(found?.message).toContain("524292 bytes as base64, but spark.firesteel.staging.secret.maxSize is 524288");
  });

  test("is the staging server if one is configured and the files are large, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const large = { "/me/a": 10_000_000 };
    const server = { "spark.kubernetes.resourceStagingServer.uri": "https://staging:10000" };
    const transportOf = (machine: Machine, more: object) =>
      stagedFiles({ settings: { ...settings, ...server, ...more }, machine }).localized?.transport;
    expect(transportOf(large, {})).toBe("server");
    expect(transportOf({ "/me/a": "a" }, {})).toBe("secret");
    const specified = { "spark.firesteel.staging.transport": "server" };
    expect(transportOf({ "/me/a": "a" }, specified)).toBe("server");
    expect(localizedCodes({ settings: { ...settings, ...specified }, machine: large })).toEqual([
      "SUBMIT_ERR_STAGING_NO_SERVER",
    ]);
    const wrong = { "spark.firesteel.staging.server": "https://me:pw@staging" };
    expect(localizedCodes({ settings: { ...settings, ...wrong }, machine: large })).toEqual([
      "SUBMIT_ERR_SETTING_VALUE",
    ]);
  });

  test("is a bucket if one is configured without a staging server, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const large = { "/me/a": 10_000_000 };
    const path = "spark.firesteel.staging.s3.path";
    const transportOf = (machine: Machine, more: object) =>
      stagedFiles({ settings: { ...settings, [path]: "s3://bucket/x", ...more }, machine }).localized?.transport;
    expect(transportOf(large, {})).toBe("s3");
    expect(transportOf(large, { "spark.firesteel.staging.server": "http://s" })).toBe("server");
    expect(transportOf({ "/me/a": "a" }, {})).toBe("secret");
    const specified = { "spark.firesteel.staging.transport": "s3" };
    expect(transportOf({ "/me/a": "a" }, specified)).toBe("s3");
    expect(localizedCodes({ settings: { ...settings, ...specified }, machine: large })).toEqual([
      "SUBMIT_ERR_STAGING_NO_BUCKET",
    ]);
    for (const wrong of ["https://bucket", "s3://B", "s3://bucket/a b"]) {
      const found = localizedCodes({ settings: { ...settings, [path]: wrong }, machine: large });
      expect(found).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    }
  });

  test("is the waiting init container if no other is available, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const { transport, log } = stagedFiles({ settings, machine: { "/me/a": 10_000_000 } }).localized ?? {};
    expect(transport).toBe("push");
    expect(log?.text).toBe(
      "The files of this machine go to the driver into its waiting init container; it finds them in /opt/spark-deps (they are too large for Secrets, see spark.firesteel.staging.secret.maxSize, and there is neither spark.firesteel.staging.server nor spark.firesteel.staging.s3.path): /me/a",
    );
    const specified = { "spark.firesteel.staging.transport": "push" };
    const chosen = stagedFiles({ settings: { ...settings, ...specified }, machine: { "/me/a": "a" } }).localized;
    expect(chosen).toMatchObject({ transport: "push", log: { text: expect.stringContaining("says so") } });
    const wrong = { ...settings, ...specified, "spark.firesteel.staging.push.port": "80" };
    expect(localizedCodes({ settings: wrong, machine: { "/me/a": "a" } })).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
  });

  test("needs the image of the init container, unless it is a Secret", () => {
    const settings = { "spark.files": "file:/me/a", "spark.firesteel.staging.initContainer.image": undefined };
    const large = { "/me/a": 10_000_000 };
    const server = { "spark.firesteel.staging.server": "http://s" };
    const bucket = { "spark.firesteel.staging.s3.path": "s3://bucket/x" };
    for (const more of [{}, server, bucket]) {
      const [found, ...others] = localizedIssues({ settings: { ...settings, ...more }, machine: large });
      expect([found?.code, others]).toEqual(["SUBMIT_ERR_STAGING_NO_INIT_IMAGE", []]);
      expect(found?.message).toBe(
        "An init container must bring /me/a to the driver, but spark.firesteel.staging.initContainer.image is not set.",
      );
    }
    expect(localizedCodes({ settings, machine: { "/me/a": "a" } })).toEqual([]);
    const specified = { ...settings, "spark.firesteel.staging.transport": "server" };
    expect(localizedCodes({ settings: specified, machine: large })).toEqual([
      "SUBMIT_ERR_STAGING_NO_SERVER",
      "SUBMIT_ERR_STAGING_NO_INIT_IMAGE",
    ]);
  });

  test("does not change the names in the driver", () => {
    const settings = { "spark.jars": "file:/x/a.jar,file:/y/a.jar" };
    const machine = { "/x/a.jar": "1", "/y/a.jar": "2" };
    const server = {
      "spark.firesteel.staging.server": "http://s",
      "spark.firesteel.staging.transport": "server",
    };
    const { properties, localized } = stagedFiles({ settings: { ...settings, ...server }, machine });
    const inSecrets = stagedFiles({ settings, machine });
    expect(properties).toEqual(inSecrets.properties);
    expect(localized?.entries).toEqual(inSecrets.localized?.entries);
  });

  test("rejects a file that does not fit into a Secret, whatever the limit", () => {
    const settings = {
      "spark.files": "file:/me/a",
      "spark.firesteel.staging.transport": "secret",
      "spark.firesteel.staging.secret.maxSize": "4m",
    };
    expect(localizedCodes({ settings, machine: { "/me/a": 768 * 1024 } })).toEqual([]);
    expect(localizedCodes({ settings, machine: { "/me/a": 768 * 1024 + 1 } })).toEqual([
      "SUBMIT_ERR_STAGING_TOO_LARGE",
    ]);
  });

  test("is the upload path, unless a transport is specified", () => {
    const settings = { "spark.files": "file:/me/a", "spark.kubernetes.file.upload.path": "/shared" };
    const machine = { "/me/a": "a" };
    expect(stagedFiles({ settings, machine })).toMatchObject({ uploads: [{ name: "a" }], localized: undefined });
    const chosen = { ...settings, "spark.firesteel.staging.transport": "secret" };
    expect(stagedFiles({ settings: chosen, machine })).toMatchObject({ uploads: [], localized: {} });
    expect(stagedFiles({ settings: chosen, machine, behaviors: { localFiles: "spark" } }).localized).toBeUndefined();
  });
});
