import { expect, test } from "vitest";
import { type TestRequest, type TestResponse, testWeb } from "../hadoop/test-web.ts";
import { testHost } from "../host/test-host.ts";
import { openBucket } from "./bucket.ts";
import { anonymous } from "./credentials/credentials.ts";
import { putFile } from "./put-file.ts";

const sizeBytes = 17 * 1024 * 1024;
const requestHeaders = { "x-amz-server-side-encryption-customer-key": "k", "x-amz-acl": "private" };

/** Uploads a file of two parts to a bucket that no longer knows the upload when it is completed. */
function putInParts(found: TestResponse) {
  const host = testHost({ files: { "/big": new Uint8Array(sizeBytes) } });
  const respond = ({ method, url: { searchParams } }: TestRequest): TestResponse => {
    if (method === "HEAD") return found;
    if (searchParams.has("uploads")) return { text: "<R><UploadId>id</UploadId></R>" };
    if (method === "POST") return { status: 404, text: "<Error><Code>NoSuchUpload</Code></Error>" };
    return { headers: { etag: "e" } };
  };
  const web = testWeb(respond);
  const credentials = anonymous;
  const { connections } = web;
  const bucket = openBucket(host, { bucket: "b", isPathStyle: true, credentials, connections });
  const put = putFile(host, bucket, { path: "/big", sizeBytes, key: "k", headers: requestHeaders });
  return { put, web };
}

test("an upload that another client aborted is not reported as successful", { tags: "long" }, async () => {
  const { put, web } = putInParts({ status: 404 });
  await expect(put).rejects.toThrow("k was aborted by another client");
  expect(web.requests.at(-1)).toMatchObject({ method: "DELETE" });
});

test("an upload whose completion response was lost succeeds, and its object is checked with the customer key", {
  tags: "long",
}, async () => {
  const { put, web } = putInParts({ headers: { "content-length": String(sizeBytes) } });
  await put;
  const { method, headers = {} } = web.requests.at(-1) ?? {};
  const key = "x-amz-server-side-encryption-customer-key";
  expect([method, headers[key], headers["x-amz-acl"]]).toEqual(["HEAD", "k", undefined]);
});
