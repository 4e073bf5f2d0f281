import { describe, expect, test } from "vitest";
import {
  alone,
  contentOf,
  entryOf,
  receiptOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
  until,
  usualForm,
  usualOwner,
} from "../staging-program.ts";
import { swift, swiftForTests } from "./swift.ts";

const mebibyte = 1024 * 1024;

describe.skipIf("missing" in swift)("a staging server whose store is a bucket", { timeout: 180_000 }, () => {
  const s3 = swiftForTests();

  /** A server over a bucket. */
  async function serverOver(bucket: string, ...more: readonly string[]): Promise<Staging> {
    const args = [...alone, "--s3-endpoint", s3().endpoint, ...more];
    return startStaging(args, { store: `s3://${bucket}/team/staging`, env: { ...s3().env } });
  }

  const download = (staging: Staging, path: string, reader: Record<string, string>, entry = 0) =>
    staging.ask("GET", `${path}/entries/${entry}`, { headers: reader });

  test("T21 T24 T29 keeps contents, large ones in parts, and gives them back whole or in part", async () => {
    const bucket = await s3().newBucket();
    const staging = await serverOver(bucket);
    const [large, small] = [someBytes(20 * mebibyte), someBytes(1000, 2)];
    const bundle = await stageBundle(staging, large);
    const whole = await download(staging, bundle.path, bundle.reader);
    expect(whole.status).toBe(200);
    expect(whole.body.equals(large)).toBe(true);
    const headers = { ...bundle.reader, range: `bytes=${9 * mebibyte}-${10 * mebibyte}` };
    const part = await staging.ask("GET", `${bundle.path}/entries/0`, { headers });
    expect(part.status).toBe(206);
    expect(part.body.equals(large.subarray(9 * mebibyte, 10 * mebibyte + 1))).toBe(true);
    const blobs = [await stageBlob(staging, small), await stageBlob(staging, large)];
    const asked = {
      namespace: "team",
      blobs: [...blobs, contentOf(someBytes(5, 3))].map(({ digest, size }) => ({ digest, size })),
    };
    const missing = await staging.ask("POST", "/api/v1/blobs:missing", { json: asked });
    expect(missing.json()).toEqual({ missing: [contentOf(someBytes(5, 3)).digest] });
    const elsewhere = { ...asked, namespace: "others" };
    const others = await staging.ask("POST", "/api/v1/blobs:missing", { json: elsewhere });
    expect(others.json()).toMatchObject({
      missing: [blobs[0]?.digest, blobs[1]?.digest, expect.any(String)],
    });
    expect((await s3().keysIn(bucket)).filter((key) => key.includes("/contents/"))).toHaveLength(2);
    expect((await s3().keysIn(bucket)).filter((key) => key.includes("/uploads/"))).toEqual([]);
  });

  test("T12 T24 has an empty content, and one that two bring at once, once", async () => {
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

  test("T22 T23 T25 goes on with an upload after the server was killed, and checks it", async () => {
    const bucket = await s3().newBucket();
    const first = await serverOver(bucket);
    const bytes = someBytes(20 * mebibyte, 5);
    const { digest, size } = contentOf(bytes);
    const begun = await first.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    const path = `/api/v1/uploads/${begun.text("uploadId")}`;
    const send = (staging: Staging, start: number, end: number, offset = start) =>
      staging.ask("PATCH", path, { body: bytes.subarray(start, end), headers: { "upload-offset": offset } });
    expect((await send(first, 0, 11 * mebibyte)).status).toBe(204);
    expect((await send(first, 11 * mebibyte, 11 * mebibyte + 7)).headers["upload-offset"]).toBe(
      String(11 * mebibyte + 7),
    );
    const second = await first.restart("SIGKILL");
    const asked = await second.ask("HEAD", path);
    expect(asked.headers["upload-offset"]).toBe(String(11 * mebibyte + 7));
    expect((await send(second, 0, 5)).status).toBe(409);
    expect((await send(second, 11 * mebibyte + 7, size)).status).toBe(204);
    expect((await second.ask("POST", `${path}:commit`)).status).toBe(201);
    expect((await second.ask("POST", `${path}:commit`)).status).toBe(404);
    const json = { owner: usualOwner, entries: [entryOf("a.jar", { digest, size })] };
    const bundle = receiptOf(await second.ask("POST", "/api/v1/bundles", { json }));
    expect((await download(second, bundle.path, bundle.reader)).body.equals(bytes)).toBe(true);

    const wrong = { namespace: "team", digest: contentOf(someBytes(9, 6)).digest, size: 10 * mebibyte };
    const other = await second.ask("POST", "/api/v1/uploads", { json: wrong });
    const wrongPath = `/api/v1/uploads/${other.text("uploadId")}`;
    const body = bytes.subarray(0, 10 * mebibyte);
    await second.ask("PATCH", wrongPath, { body, headers: { "upload-offset": 0 } });
    expect((await second.ask("POST", `${wrongPath}:commit`)).status).toBe(422);
    expect((await s3().keysIn(bucket)).filter((key) => /\/(uploads|contents)\//.test(key))).toHaveLength(1);
  });

  test("T02 T03 T38 speaks API v0, and knows ids and secrets after a restart", async () => {
    const bucket = await s3().newBucket();
    const staging = await serverOver(bucket);
    const bytes = someBytes(18 * mebibyte, 7);
    const made = await staging.ask("POST", "/api/v0/resources/", usualForm(bytes));
    expect(made.status).toBe(200);
    const again = await staging.restart("SIGTERM");
    const path = `/api/v0/resources/${made.text("resourceId")}`;
    const got = await again.ask("GET", path, { headers: { authorization: made.text("resourceSecret") } });
    expect(got.status).toBe(200);
    expect(got.body.equals(bytes)).toBe(true);
    expect((await again.ask("GET", path, { headers: { authorization: "x" } })).status).toBe(401);
  });

  test("T39 two of them share it: what one takes the other gives, and no token is of one alone", async () => {
    const bucket = await s3().newBucket();
    const one = await serverOver(bucket);
    const two = await serverOver(bucket);
    const bundle = await stageBundle(one, someBytes(2 * mebibyte, 8));
    expect((await download(two, bundle.path, bundle.reader)).body.equals(someBytes(2 * mebibyte, 8))).toBe(
      true,
    );
    expect((await two.ask("DELETE", bundle.path)).status).toBe(204);
    expect((await one.ask("GET", bundle.path, { headers: bundle.reader })).status).toBe(410);
  });

  test("T41 sweeps what nobody needs, and nothing else", async () => {
    const bucket = await s3().newBucket();
    const times = [
      "--clean-interval",
      "200ms",
      "--initial-expiry",
      "4s",
      "--grace",
      "2s",
      "--upload-idle",
      "2s",
    ];
    const staging = await serverOver(bucket, ...times);
    const kept = await stageBundle(staging, someBytes(9 * mebibyte, 9), { ttlSeconds: 3600 });
    const passing = await stageBundle(staging, someBytes(100, 10));
    const { digest, size } = contentOf(someBytes(9 * mebibyte, 11));
    await staging.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    await until(async () =>
      (await staging.ask("GET", passing.path, { headers: passing.reader })).status === 410 ? true : undefined,
    );
    await until(async () => {
      const keys = await s3().keysIn(bucket);
      const count = (folder: string) => keys.filter((key) => key.includes(`/${folder}/`)).length;
      return count("contents") === 1 && count("uploads") === 0 && count("sha256") === 1 ? true : undefined;
    });
    expect((await download(staging, kept.path, kept.reader)).status).toBe(200);
  });

  test("says at its start that a bucket is not there, and that it must be alone where nothing is written under conditions", async () => {
    const lost = serverOver("no-such-bucket").catch(String);
    expect(await lost).toContain("NoSuchBucket");
    const staging = await serverOver(await s3().newBucket());
    const { child } = staging.program;
    child.kill("SIGTERM");
    const { stdout } = await staging.program.ended;
    expect(stdout).toContain("this must be the only server of this store");
  });
});
