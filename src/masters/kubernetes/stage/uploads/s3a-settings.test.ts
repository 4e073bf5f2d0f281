import { describe, expect, test } from "vitest";
import { testHost } from "../../../../host/test-host.ts";
import { hadoopConf } from "../../../../values/hadoop-conf.ts";
import { s3aHeaders } from "./s3a-headers.ts";
import { s3aAddress, s3aProperties } from "./s3a-settings.ts";

const env = { AWS_ACCESS_KEY_ID: "e", AWS_SECRET_ACCESS_KEY: "s", AWS_EC2_METADATA_DISABLED: "true" };

function confOf(properties: Readonly<Record<string, string>>) {
  const named = Object.entries(properties).map(([name, value]) => [`fs.s3a.${name}`, value] as const);
  return hadoopConf(new Map(named), { env, system: {} });
}

function addressOf(properties: Readonly<Record<string, string>>, bucket = "b") {
  return s3aAddress(testHost({ env }), confOf(properties), bucket);
}

async function keyOf(properties: Readonly<Record<string, string>>): Promise<string> {
  const { credentials } = addressOf(properties);
  if (credentials === "anonymous") return credentials;
  const { accessKeyId, sessionToken } = await credentials();
  return sessionToken === undefined ? accessKeyId : `${accessKeyId} ${sessionToken}`;
}

const keys = { "access.key": "k", "secret.key": "s" };
const hadoop = "org.apache.hadoop.fs.s3a";

describe("s3aAddress", () => {
  test.each([
    [{}, undefined, undefined, false],
    [{ endpoint: "minio:9000", "connection.ssl.enabled": "false" }, "http://minio:9000/", undefined, false],
    [{ endpoint: "minio", "path.style.access": "true" }, "https://minio/", undefined, true],
    [{ endpoint: "s3.eu-west-3.amazonaws.com" }, "https://s3.eu-west-3.amazonaws.com/", "eu-west-3", false],
    [{ "endpoint.region": "eu-west-1", endpoint: "http://h" }, "http://h/", "eu-west-1", false],
    [{ endpoint: "a", "bucket.b.endpoint": "https://own" }, "https://own/", undefined, false],
  ])("returns for %j: %s", (properties, endpoint, region, isPathStyle) => {
    const address = addressOf(properties);
    expect(address.endpoint?.href).toBe(endpoint);
    expect(address).toMatchObject({ region, isPathStyle });
  });

  test.each([
    [{}, "e"],
    [keys, "k"],
    [{ ...keys, "session.token": "t" }, "k t"],
    [{ ...keys, "aws.credentials.provider": `${hadoop}.AnonymousAWSCredentialsProvider` }, "anonymous"],
    [
      {
        ...keys,
        "aws.credentials.provider": `${hadoop}.TemporaryAWSCredentialsProvider, software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider`,
      },
      "e",
    ],
  ])("returns the credentials for %j: %s", async (properties, expected) => {
    expect(await keyOf(properties)).toBe(expected);
  });

  test.each([
    [{ "aws.credentials.provider": "com.corp.Vault" }, "names Vault, which is not supported"],
    [{ "proxy.host": "a b" }, "fs.s3a.proxy.host and fs.s3a.proxy.port are not a valid address"],
    [{ "encryption.algorithm": "CSE-KMS" }, "only the Java client supports"],
    [{ endpoint: "http://a b" }, "fs.s3a.endpoint is not a valid address"],
  ])("rejects %j", (properties, message) => {
    expect(() => addressOf(properties)).toThrow(message);
  });
});

describe("a credential store that only Java can read", () => {
  const path = "jceks://file/keys.jceks";

  test("is rejected with an alternative if it is specific to S3A", async () => {
    const { credentials } = addressOf({ "security.credential.provider.path": path });
    if (credentials === "anonymous") throw new Error("unexpected anonymous credentials");
    await expect(credentials()).rejects.toThrow(
      /fs\.s3a\.security\.credential\.provider\.path names jceks:\/\/file\/keys\.jceks, which only Java can read\. .*AWS_ACCESS_KEY_ID/,
    );
    expect(await keyOf({ ...keys, "security.credential.provider.path": path })).toBe("k");
    expect(
      await keyOf({
        "bucket.b.security.credential.provider.path": path,
        "aws.credentials.provider": "EnvironmentVariableCredentialsProvider",
      }),
    ).toBe("e");
  });

  test("is reported if it is Hadoop's and no other credentials are found", async () => {
    const conf = hadoopConf(new Map([["hadoop.security.credential.provider.path", path]]), {
      env: {},
      system: {},
    });
    const poor = testHost({ env: { AWS_EC2_METADATA_DISABLED: "true" } });
    const { credentials } = s3aAddress(poor, conf, "b");
    if (credentials === "anonymous") throw new Error("unexpected anonymous credentials");
    await expect(credentials()).rejects.toThrow(
      /no credentials for S3.*; hadoop\.security\.credential\.provider\.path names jceks/,
    );
    const { credentials: rich } = s3aAddress(testHost({ env }), conf, "b");
    if (rich === "anonymous") throw new Error("unexpected anonymous credentials");
    expect(await rich()).toMatchObject({ accessKeyId: "e" });
  });
});

test.each([
  [{ "proxy.host": "p", "proxy.port": "3128" }, "http://p:3128/"],
  [{ "proxy.host": "p", "proxy.ssl.enabled": "true", "proxy.username": "u" }, "https://u@p/"],
  [{}, "http://of.environment/"],
])("s3aAddress returns the proxy for %j: %s", async (properties, url) => {
  const host = testHost({ env: { ...env, HTTPS_PROXY: "of.environment", NO_PROXY: "inside" } });
  const { findProxy } = s3aAddress(host, confOf(properties), "b");
  expect((await findProxy?.(new URL("https://b.s3.amazonaws.com")))?.href).toBe(url);
});

test.each([
  [{}, {}],
  [{ "encryption.algorithm": "AES256" }, { "x-amz-server-side-encryption": "AES256" }],
  [
    { "server-side-encryption-algorithm": "SSE-KMS", "server-side-encryption.key": "arn" },
    { "x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "arn" },
  ],
  [
    { "encryption.algorithm": "SSE-C", "encryption.key": "a2V5" },
    {
      "x-amz-server-side-encryption-customer-algorithm": "AES256",
      "x-amz-server-side-encryption-customer-key": "a2V5",
      "x-amz-server-side-encryption-customer-key-MD5": "PG4LipwVIkqCKLmpjKFTHQ==",
    },
  ],
  [
    { "acl.default": "BucketOwnerFullControl", "create.storage.class": "intelligent_tiering" },
    { "x-amz-acl": "bucket-owner-full-control", "x-amz-storage-class": "INTELLIGENT_TIERING" },
  ],
])("s3aHeaders returns for %j: %j", (properties, headers) => {
  expect(s3aHeaders(s3aProperties(confOf(properties), "b"))).toEqual(headers);
});

test("s3aHeaders rejects an unknown encryption algorithm", () => {
  expect(() => s3aHeaders(s3aProperties(confOf({ "encryption.algorithm": "ROT13" }), "b"))).toThrow("ROT13");
});
