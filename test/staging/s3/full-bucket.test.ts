import { expect, test } from "vitest";
import { describeWith } from "../../test-with.ts";
import { alone, someBytes, stageBlob, stageBundle, startStaging, until } from "../staging-program.ts";
import { swift } from "./fetch-swift.ts";
import { openS3Proxy } from "./s3-proxy.ts";
import { type S3Server, swiftForTests } from "./swift.ts";

/** Starts a server whose bucket can be full: it then rejects all writes as MinIO does, and allows removals. */
async function startOnBucket(s3: S3Server, ...options: string[]) {
  const state = { isFull: false };
  const endpoint = await openS3Proxy(s3.endpoint, (incoming, response, pass) => {
    if (!state.isFull || incoming.method !== "PUT") return pass();
    incoming.resume();
    response.writeHead(507, { connection: "close" }).end("<Error><Code>XMinioStorageFull</Code></Error>");
  });
  const bucket = await s3.newBucket();
  const args = [...alone, "--s3-endpoint", endpoint, ...options];
  const staging = await startStaging(args, { store: `s3://${bucket}`, env: { ...s3.env } });
  return { state, bucket, staging };
}

describeWith(swift)("a full bucket", { timeout: 120_000 }, () => {
  const s3 = swiftForTests();

  test("serves downloads, rejects uploads with 507 and allows deletions", async () => {
    const { state, bucket, staging } = await startOnBucket(s3());
    const bytes = someBytes(1000);
    const { path, reader } = await stageBundle(staging, bytes);
    state.isFull = true;
    const got = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect([got.status, got.body.equals(bytes)]).toEqual([200, true]);
    await expect(stageBlob(staging, someBytes(1000, 2))).rejects.toThrow();
    const json = { owner: { namespace: "team", labels: { a: "b" }, type: "Pod" }, entries: [] };
    const rejected = await staging.sendRequest("POST", "/api/v1/bundles", { json });
    expect([rejected.status, rejected.code()]).toEqual([507, "STORE_FULL"]);
    expect((await staging.sendRequest("DELETE", path)).status).toBe(204);
    expect((await s3().keysIn(bucket)).filter((key) => key.startsWith("bundles/"))).toEqual([]);
  });

  test("is freed by the cleaner when bundles expire", async () => {
    const times = ["--initial-expiry", "3s", "--clean-interval", "100ms", "--grace", "1s"];
    const { state, bucket, staging } = await startOnBucket(s3(), ...times);
    await stageBundle(staging, someBytes(1000));
    state.isFull = true;
    const contents = async () => (await s3().keysIn(bucket)).filter((key) => /^(bundles|contents|blobs)/.test(key));
    await until(async () => ((await contents()).length === 0 ? true : undefined));
  });
});
