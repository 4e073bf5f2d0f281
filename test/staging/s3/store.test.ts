import { expect, test } from "vitest";
import { describeWith } from "../../test-with.ts";
import {
  alone,
  contentOf,
  defaultForm,
  defaultOwner,
  entryOf,
  receiptOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
  until,
} from "../staging-program.ts";
import { swift } from "./fetch-swift.ts";
import { swiftForTests } from "./swift.ts";

const mebibyte = 1024 * 1024;

describeWith(swift)("a staging server whose store is a bucket", { timeout: 180_000 }, () => {
  const s3 = swiftForTests();

  /** Starts a server whose store is a bucket. */
  async function serverOver(bucket: string, ...more: readonly string[]): Promise<Staging> {
    const args = [...alone, "--s3-endpoint", s3().endpoint, ...more];
    return startStaging(args, { store: `s3://${bucket}/team/staging`, env: { ...s3().env } });
  }

  const download = (staging: Staging, path: string, reader: Record<string, string>, entry = 0) =>
    staging.sendRequest("GET", `${path}/entries/${entry}`, { headers: reader });

  test("T21 T24 T29 stores contents, large ones in parts, and serves them and their ranges", async () => {
    const bucket = await s3().newBucket();
    const staging = await serverOver(bucket);
    const [large, small] = [someBytes(20 * mebibyte), someBytes(1000, 2)];
    const bundle = await stageBundle(staging, large);
    const complete = await download(staging, bundle.path, bundle.reader);
    expect(complete.status).toBe(200);
    expect(complete.body.equals(large)).toBe(true);
    const headers = { ...bundle.reader, range: `bytes=${9 * mebibyte}-${10 * mebibyte}` };
    const part = await staging.sendRequest("GET", `${bundle.path}/entries/0`, { headers });
    expect(part.status).toBe(206);
    expect(part.body.equals(large.subarray(9 * mebibyte, 10 * mebibyte + 1))).toBe(true);
    const blobs = [await stageBlob(staging, small), await stageBlob(staging, large)];
    const requested = {
      namespace: "team",
      blobs: [...blobs, contentOf(someBytes(5, 3))].map(({ digest, size }) => ({ digest, size })),
    };
    const missing = await staging.sendRequest("POST", "/api/v1/blobs:missing", { json: requested });
    expect(missing.json()).toEqual({ missing: [contentOf(someBytes(5, 3)).digest] });
    const elsewhere = { ...requested, namespace: "others" };
    const others = await staging.sendRequest("POST", "/api/v1/blobs:missing", { json: elsewhere });
    expect(others.json()).toMatchObject({
      missing: [blobs[0]?.digest, blobs[1]?.digest, expect.any(String)],
    });
    expect((await s3().keysIn(bucket)).filter((key) => key.includes("/contents/"))).toHaveLength(2);
    expect((await s3().keysIn(bucket)).filter((key) => key.includes("/uploads/"))).toEqual([]);
  });

  test("T12 T24 stores an empty content, and concurrent uploads of one content once", async () => {
    const bucket = await s3().newBucket();
    const staging = await serverOver(bucket);
    const empty = await stageBundle(staging, new Uint8Array());
    expect((await download(staging, empty.path, empty.reader)).body).toHaveLength(0);
    const bytes = someBytes(3 * mebibyte, 4);
    const [one, two] = await Promise.all([stageBundle(staging, bytes), stageBundle(staging, bytes)]);
    for (const { path, reader } of [one, two]) {
      expect((await download(staging, path, reader)).body.equals(bytes)).toBe(true);
    }
  });

  test("T22 T23 T25 continues and verifies an upload after the server was killed", async () => {
    const bucket = await s3().newBucket();
    const first = await serverOver(bucket);
    const bytes = someBytes(20 * mebibyte, 5);
    const { digest, size } = contentOf(bytes);
    const created = await first.sendRequest("POST", "/api/v1/uploads", {
      json: { namespace: "team", digest, size },
    });
    const path = `/api/v1/uploads/${created.text("uploadId")}`;
    const send = (staging: Staging, start: number, end: number, offset = start) =>
      staging.sendRequest("PATCH", path, {
        body: bytes.subarray(start, end),
        headers: { "upload-offset": offset },
      });
    expect((await send(first, 0, 11 * mebibyte)).status).toBe(204);
    expect((await send(first, 11 * mebibyte, 11 * mebibyte + 7)).headers["upload-offset"]).toBe(
      String(11 * mebibyte + 7),
    );
    const second = await first.restart("SIGKILL");
    const head = await second.sendRequest("HEAD", path);
    expect(head.headers["upload-offset"]).toBe(String(11 * mebibyte + 7));
    expect((await send(second, 0, 5)).status).toBe(409);
    expect((await send(second, 11 * mebibyte + 7, size)).status).toBe(204);
    expect((await second.sendRequest("POST", `${path}:commit`)).status).toBe(201);
    expect((await second.sendRequest("POST", `${path}:commit`)).status).toBe(404);
    const json = { owner: defaultOwner, entries: [entryOf("a.jar", { digest, size })] };
    const bundle = receiptOf(await second.sendRequest("POST", "/api/v1/bundles", { json }));
    expect((await download(second, bundle.path, bundle.reader)).body.equals(bytes)).toBe(true);

    const wrong = { namespace: "team", digest: contentOf(someBytes(9, 6)).digest, size: 10 * mebibyte };
    const other = await second.sendRequest("POST", "/api/v1/uploads", { json: wrong });
    const wrongPath = `/api/v1/uploads/${other.text("uploadId")}`;
    const body = bytes.subarray(0, 10 * mebibyte);
    await second.sendRequest("PATCH", wrongPath, { body, headers: { "upload-offset": 0 } });
    expect((await second.sendRequest("POST", `${wrongPath}:commit`)).status).toBe(422);
    expect((await s3().keysIn(bucket)).filter((key) => /\/(uploads|contents)\//.test(key))).toHaveLength(1);
  });

  test("T02 T03 T38 supports API v0, and keeps IDs and secrets across a restart", async () => {
    const bucket = await s3().newBucket();
    const staging = await serverOver(bucket);
    const bytes = someBytes(18 * mebibyte, 7);
    const made = await staging.sendRequest("POST", "/api/v0/resources/", defaultForm(bytes));
    expect(made.status).toBe(200);
    const again = await staging.restart("SIGTERM");
    const path = `/api/v0/resources/${made.text("resourceId")}`;
    const got = await again.sendRequest("GET", path, {
      headers: { authorization: made.text("resourceSecret") },
    });
    expect(got.status).toBe(200);
    expect(got.body.equals(bytes)).toBe(true);
    expect((await again.sendRequest("GET", path, { headers: { authorization: "x" } })).status).toBe(401);
  });

  test("T39 is shared by two servers, which serve each other's contents and accept each other's tokens", async () => {
    const bucket = await s3().newBucket();
    const one = await serverOver(bucket);
    const two = await serverOver(bucket);
    const bundle = await stageBundle(one, someBytes(2 * mebibyte, 8));
    expect((await download(two, bundle.path, bundle.reader)).body.equals(someBytes(2 * mebibyte, 8))).toBe(true);
    expect((await two.sendRequest("DELETE", bundle.path)).status).toBe(204);
    expect((await one.sendRequest("GET", bundle.path, { headers: bundle.reader })).status).toBe(410);
  });

  test("T41 removes only contents that no bundle needs", async () => {
    const bucket = await s3().newBucket();
    const times = ["--clean-interval", "200ms", "--initial-expiry", "4s", "--grace", "2s", "--upload-idle", "2s"];
    // With a short grace period, a cleanup can remove the contents of a bundle that a busy machine creates slowly.
    const kept = await stageBundle(await serverOver(bucket), someBytes(9 * mebibyte, 9), { ttlSeconds: 3600 });
    const staging = await serverOver(bucket, ...times);
    const expiring = await stageBundle(staging, someBytes(100, 10));
    const { digest, size } = contentOf(someBytes(9 * mebibyte, 11));
    await staging.sendRequest("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    await until(async () =>
      (await staging.sendRequest("GET", expiring.path, { headers: expiring.reader })).status === 410 ? true : undefined,
    );
    await until(async () => {
      const keys = await s3().keysIn(bucket);
      const count = (directory: string) => keys.filter((key) => key.includes(`/${directory}/`)).length;
      return count("contents") === 1 && count("uploads") === 0 && count("sha256") === 1 ? true : undefined;
    });
    expect((await download(staging, kept.path, kept.reader)).status).toBe(200);
  });

  test("reports a missing bucket at its start, and warns without conditional writes", async () => {
    const lost = serverOver("no-such-bucket").catch(String);
    expect(await lost).toContain("NoSuchBucket");
    const staging = await serverOver(await s3().newBucket());
    const { child } = staging.program;
    child.kill("SIGTERM");
    const { stdout } = await staging.program.ended;
    expect(stdout).toContain("this must be the only server of this store");
  });
});
