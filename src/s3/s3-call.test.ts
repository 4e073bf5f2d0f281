import { describe, expect, test } from "vitest";
import { type TestRequest, type TestResponse, testWeb } from "../hadoop/test-web.ts";
import { testHost } from "../host/test-host.ts";
import { openBucket } from "./bucket.ts";
import { anonymous } from "./credentials/credentials.ts";
import type { BucketAddress } from "./s3-call.ts";

const credentials = async () => ({ accessKeyId: "AKID", secretAccessKey: "SECRET", sessionToken: "TOKEN" });

function bucketOf(respond: (request: TestRequest) => TestResponse, more: Partial<BucketAddress> = {}) {
  const host = testHost();
  const web = testWeb(respond);
  const address = { bucket: "b", isPathStyle: false, credentials, connections: web.connections, ...more };
  return { host, web, bucket: openBucket(host, address) };
}

describe("a bucket", () => {
  test.each([
    [{}, "https://b.s3.us-east-1.amazonaws.com/a%20b/%C3%BC%2B%27"],
    [{ isPathStyle: true, region: "eu-west-1" }, "https://s3.eu-west-1.amazonaws.com/b/a%20b/%C3%BC%2B%27"],
    [{ endpoint: new URL("http://h:9000/s3/"), isPathStyle: true }, "http://h:9000/s3/b/a%20b/%C3%BC%2B%27"],
  ])("of %j is at %s", async (more, url) => {
    const { web, bucket } = bucketOf(() => ({ text: "x", headers: { etag: '"1"' } }), more);
    expect(await bucket.readText("a b/ü+'")).toEqual({ text: "x", etag: '"1"' });
    expect(web.requests[0]?.url.href).toBe(url);
  });

  test("gets signed requests that contain key ID and token but not the secret", async () => {
    const { web, bucket } = bucketOf(() => ({}));
    await bucket.put("k", "content");
    const headers = web.requests[0]?.headers ?? {};
    expect(headers["Authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/20260102\/us-east-1\/s3\/aws4_request/,
    );
    expect(headers["X-Amz-Security-Token"]).toBe("TOKEN");
    expect(JSON.stringify(headers)).not.toContain("SECRET");
  });

  test("that is public gets unsigned requests", async () => {
    const { web, bucket } = bucketOf(() => ({}), { credentials: anonymous });
    await bucket.put("k", "content");
    expect(Object.keys(web.requests[0]?.headers ?? {})).toEqual(["content-length"]);
    expect(await bucket.presign("k", 60)).toBe("https://b.s3.us-east-1.amazonaws.com/k");
  });

  test("of another region is called there once the region is known", async () => {
    const headers = { "x-amz-bucket-region": "ap-south-1" };
    const respond = ({ url }: TestRequest) => (url.hostname.includes("ap-south-1") ? {} : { status: 301, headers });
    const { web, bucket } = bucketOf(respond);
    await bucket.put("k", "1");
    await bucket.put("k", "2");
    expect(web.requests.map(({ url }) => url.hostname.split(".")[2])).toEqual([
      "us-east-1",
      "ap-south-1",
      "ap-south-1",
    ]);
  });

  test.each([
    ["the same content", "written", true],
    ["other content", "other", false],
    ["longer content", "written and more", false],
    ["shorter content", "writ", false],
    ["no content", undefined, false],
  ])("with %s after a lost response reports a met condition: %s %s", async (_what, stored, isMet) => {
    for (const condition of [{ ifAbsent: true } as const, { ifMatch: '"old"' }]) {
      const { host, web, bucket } = bucketOf(({ method }) => {
        if (method === "GET") return stored === undefined ? { status: 404 } : { text: stored };
        return web.requests.length === 1 ? "ECONNRESET" : { status: 412 };
      });
      expect(await host.settle(bucket.put("k", "written", { condition }))).toBe(isMet);
      expect(web.requests.map(({ method }) => method)).toEqual(["PUT", "PUT", "GET"]);
      expect(web.open()).toBe(0);
    }
  });

  test("that is full gets a request once", async () => {
    const text = "<Error><Code>XMinioStorageFull</Code></Error>";
    const { web, bucket } = bucketOf(() => ({ status: 507, text }));
    await expect(bucket.put("k", "1")).rejects.toMatchObject({ status: 507, code: "XMinioStorageFull" });
    expect(web.requests).toHaveLength(1);
  });

  test("of another region receives concurrent requests there", async () => {
    const headers = { "x-amz-bucket-region": "ap-south-1" };
    const respond = ({ url }: TestRequest) => (url.hostname.includes("ap-south-1") ? {} : { status: 301, headers });
    const { bucket } = bucketOf(respond);
    expect(await Promise.all(["1", "2", "3"].map((key) => bucket.put(key, "")))).toEqual([true, true, true]);
  });

  test("that names another region for every region fails after one change", async () => {
    let number = 0;
    const { web, bucket } = bucketOf(() => {
      number += 1;
      return { status: 301, headers: { "x-amz-bucket-region": `region-${number}` } };
    });
    await expect(bucket.put("k", "")).rejects.toThrow("S3 responded with 301");
    expect(web.requests).toHaveLength(2);
  });

  test("that fails temporarily gets the request again; one that rejects it does not", async () => {
    let left = 2;
    const { host, web, bucket } = bucketOf(() => {
      left -= 1;
      return left === 1 ? { status: 503 } : left === 0 ? "ECONNRESET" : {};
    });
    expect(await host.settle(bucket.put("k", "1"))).toBe(true);
    expect(web.requests).toHaveLength(3);
    const xml = "<Error><Code>AccessDenied</Code><Message>Not &lt;you&gt;</Message></Error>";
    const refusing = bucketOf(() => ({ status: 403, text: xml }));
    await expect(refusing.bucket.put("k", "1")).rejects.toThrow(
      "S3 responded with 403 AccessDenied: Not <you> (PUT https://b.s3.us-east-1.amazonaws.com/k)",
    );
    expect(refusing.web.requests).toHaveLength(1);
  });

  test("that never responds is named in the error", async () => {
    const { host, web, bucket } = bucketOf(() => "ECONNREFUSED");
    const failed = bucket.info("k").catch(String);
    expect(await host.settle(failed)).toContain("https://b.s3.us-east-1.amazonaws.com does not respond: ");
    expect(web.requests).toHaveLength(6);
  });

  test("lists all pages, with decoded keys", async () => {
    const page = (key: string, next: string) =>
      `<ListBucketResult><Contents><Key>${key}</Key><ETag>&quot;e&quot;</ETag><Size>3</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents><IsTruncated>${next !== ""}</IsTruncated><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;
    const { web, bucket } = bucketOf(({ url }) => ({
      text: url.searchParams.has("continuation-token") ? page("p/b%2Fc", "") : page("p/a+%C3%BC", "t&amp;1"),
    }));
    const found = [];
    for await (const { key, etag, sizeBytes } of bucket.list("p/")) found.push([key, etag, sizeBytes]);
    expect(found).toEqual([
      ["p/a ü", '"e"', 3],
      ["p/b/c", '"e"', 3],
    ]);
    expect(web.requests[1]?.url.searchParams.get("continuation-token")).toBe("t&1");
  });

  test("reports a list with an invalid key", async () => {
    const page = (key: string) =>
      `<ListBucketResult><Contents><Key>${key}</Key></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>`;
    const drain = async (key: string) => {
      const { bucket } = bucketOf(() => ({ text: page(key) }));
      for await (const _ of bucket.list("p/"));
    };
    await expect(drain("p/%zz")).rejects.toThrow(
      "S3 sent a list that cannot be read: its key p/%zz is not URL-encoded",
    );
  });

  test("reports an upload with more parts than S3 allows", { tags: "long" }, async () => {
    const parts = "<Part><PartNumber>1</PartNumber></Part>".repeat(1000);
    const text = `<ListPartsResult>${parts}<IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker></ListPartsResult>`;
    const { bucket } = bucketOf(() => ({ text }));
    await expect(bucket.listParts("k", "id")).rejects.toThrow("an upload has more than 10000 parts");
  });

  test.each([
    [{ ifAbsent: true } as const, "if-none-match", "*"],
    [{ ifMatch: '"1"' } as const, "if-match", '"1"'],
  ])("writes under a condition %j", async (condition, header, value) => {
    const { web, bucket } = bucketOf(() => ({ status: 412 }));
    expect(await bucket.put("k", "1", { condition })).toBe(false);
    expect(web.requests[0]?.headers[header]).toBe(value);
  });

  test("reports a failed completion in a response with status 200", async () => {
    const text = "<Error><Code>InternalError</Code><Message>no</Message></Error>";
    const { bucket } = bucketOf(() => ({ text }));
    await expect(bucket.completeUpload("k", "id", [{ number: 1, etag: '"1"' }])).rejects.toThrow("InternalError: no");
  });
});
