/** @module-tag long */

import { expect, test } from "vitest";
import { testWeb } from "../hadoop/test-web.ts";
import { testHost } from "../host/test-host.ts";
import { openBucket } from "./bucket.ts";
import { anonymous } from "./credentials/credentials.ts";

test("a bucket reports a list that never ends", async () => {
  const text =
    "<ListBucketResult><Contents><Key>p/a</Key></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>";
  const { connections } = testWeb(() => ({ text }));
  const bucket = openBucket(testHost(), { bucket: "b", isPathStyle: false, credentials: anonymous, connections });
  const drain = async () => {
    for await (const _ of bucket.list("p/"));
  };
  await expect(drain()).rejects.toThrow("it has more than 10000 pages");
});
