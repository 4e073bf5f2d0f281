import { expect, test } from "vitest";
import { type TestAnswer, type TestRequest, testWeb } from "../hadoop/test-web.ts";
import { testHost } from "../host/test-host.ts";
import { openBucket } from "./bucket.ts";
import { anonymous } from "./credentials/credentials.ts";
import { putFile } from "./put-file.ts";

const sizeBytes = 17 * 1024 * 1024;
const given = { "x-amz-server-side-encryption-customer-key": "k", "x-amz-acl": "private" };

/** Puts a file of two parts into a bucket that knows nothing of it when it is to be completed. */
function putInParts(found: TestAnswer) {
  const host = testHost({ files: { "/big": new Uint8Array(sizeBytes) } });
  const answer = ({ method, url: { searchParams } }: TestRequest): TestAnswer => {
    if (method === "HEAD") return found;
    if (searchParams.has("uploads")) return { text: "<R><UploadId>id</UploadId></R>" };
    if (method === "POST") return { status: 404, text: "<Error><Code>NoSuchUpload</Code></Error>" };
    return { headers: { etag: "e" } };
  };
  const web = testWeb(answer);
  const credentials = anonymous;
  const { connections } = web;
  const bucket = openBucket(host, { bucket: "b", isPathStyle: true, credentials, connections });
  const put = putFile(host, bucket, { path: "/big", sizeBytes, key: "k", headers: given });
  return { put, web };
}

test("an object that somebody gave up while it was sent is no success", async () => {
  const { put, web } = putInParts({ status: 404 });
  await expect(put).rejects.toThrow("k was given up by somebody");
  expect(web.requests.at(-1)).toMatchObject({ method: "DELETE" });
});

test("one that was made though the answer got lost is, and is asked for by its own key", async () => {
  const { put, web } = putInParts({ headers: { "content-length": String(sizeBytes) } });
  await put;
  const { method, headers = {} } = web.requests.at(-1) ?? {};
  const key = "x-amz-server-side-encryption-customer-key";
  expect([method, headers[key], headers["x-amz-acl"]]).toEqual(["HEAD", "k", undefined]);
});
