import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  alone,
  contentOf,
  defaultOwner,
  entryOf,
  memberOf,
  receiptOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
} from "./staging-program.ts";

const missing = async (staging: Staging, namespace: string, blobs: readonly unknown[]) =>
  memberOf(
    (await staging.sendRequest("POST", "/api/v1/blobs:missing", { json: { namespace, blobs } })).json(),
    "missing",
  );

const createUpload = async (staging: Staging, blob: { digest: string; size: number }, namespace = "team") => {
  const { digest, size } = blob;
  const created = await staging.sendRequest("POST", "/api/v1/uploads", { json: { namespace, digest, size } });
  return { created, path: `/api/v1/uploads/${created.status === 201 ? created.text("uploadId") : ""}` };
};

const send = (staging: Staging, path: string, offset: number, body: Uint8Array) =>
  staging.sendRequest("PATCH", path, { body, headers: { "upload-offset": offset } });

const blobFiles = (staging: Staging) =>
  readdirSync(`${staging.store}/blobs`, { recursive: true }).filter((path) => /[0-9a-f]{62}$/.test(String(path)));

describe("uploads of API v1", () => {
  test("T21 one request checks a thousand contents, separately for each namespace", async () => {
    const staging = await startStaging();
    const blobs = Array.from({ length: 1000 }, (_, index) => contentOf(Buffer.from(`content ${index}`)));
    const requested = blobs.map(({ digest, size }) => ({ digest, size }));
    expect(await missing(staging, "team", requested)).toEqual(requested.map(({ digest }) => digest));
    const [first] = blobs;
    if (first === undefined) throw new Error("no blob");
    await stageBlob(staging, first.bytes);
    expect(await missing(staging, "team", requested)).toEqual(requested.slice(1).map(({ digest }) => digest));
    expect(await missing(staging, "others", requested)).toHaveLength(1000);
  });

  test("T22 bytes at a wrong offset are rejected with the expected offset, where the upload continues", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(300_000));
    const { created, path } = await createUpload(staging, content);
    expect(created.headers["location"]).toBe(path);
    expect((await send(staging, path, 0, content.bytes.subarray(0, 100_000))).headers["upload-offset"]).toBe("100000");
    for (const wrong of [0, 99_999, 200_000]) {
      const rejected = await send(staging, path, wrong, content.bytes.subarray(wrong, wrong + 10));
      expect([rejected.status, rejected.code()]).toEqual([409, "WRONG_OFFSET"]);
      expect(rejected.headers["upload-offset"]).toBe("100000");
    }
    expect((await send(staging, path, 100_000, content.bytes.subarray(100_000))).status).toBe(204);
    const done = await staging.sendRequest("POST", `${path}:commit`);
    expect([done.status, done.text("digest")]).toEqual([201, content.digest]);
  });

  test("T22 more bytes than announced are rejected", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(1000));
    const { path } = await createUpload(staging, content);
    const rejected = await send(staging, path, 0, someBytes(2000));
    expect([rejected.status, rejected.code()]).toEqual([413, "TOO_LARGE"]);
    expect((await staging.sendRequest("PATCH", path, { body: "x" })).status).toBe(400);
  });

  test("T23 content with a wrong digest or size is discarded and can be sent again", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(50_000));
    for (const bytes of [someBytes(50_000, 2), content.bytes.subarray(1)]) {
      const { path } = await createUpload(staging, content);
      await send(staging, path, 0, bytes);
      const rejected = await staging.sendRequest("POST", `${path}:commit`);
      expect([rejected.status, rejected.code()]).toEqual([422, "DIGEST_MISMATCH"]);
      expect((await staging.sendRequest("HEAD", path)).status).toBe(404);
    }
    expect(blobFiles(staging)).toEqual([]);
    expect(await stageBlob(staging, content.bytes)).toMatchObject({ digest: content.digest });
    expect(blobFiles(staging)).toHaveLength(1);
  });

  test("T24 concurrent uploads of the same content all succeed, and it is stored once", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(200_000));
    const uploads = await Promise.all(["team", "team", "others"].map((name) => createUpload(staging, content, name)));
    await Promise.all(uploads.map(({ path }) => send(staging, path, 0, content.bytes)));
    const done = await Promise.all(uploads.map(({ path }) => staging.sendRequest("POST", `${path}:commit`)));
    expect(done.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(blobFiles(staging)).toHaveLength(1);
  });

  test("T25 acknowledged bytes survive a killed server", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(400_000));
    const { path } = await createUpload(staging, content);
    await send(staging, path, 0, content.bytes.subarray(0, 250_000));
    const next = await staging.restart("SIGKILL");
    const head = await next.sendRequest("HEAD", path);
    expect([head.status, head.headers["upload-length"]]).toEqual([200, "400000"]);
    const offset = Number(head.headers["upload-offset"]);
    expect(offset).toBeGreaterThanOrEqual(250_000);
    await send(next, path, offset, content.bytes.subarray(offset));
    expect((await next.sendRequest("POST", `${path}:commit`)).status).toBe(201);
  });

  test("concurrent commits of one upload all return success", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(5_000_000));
    const { path } = await createUpload(staging, content);
    await send(staging, path, 0, content.bytes);
    const commits = Array.from({ length: 20 }, () => staging.sendRequest("POST", `${path}:commit`));
    const statuses = new Set((await Promise.all(commits)).map(({ status }) => status));
    statuses.delete(404);
    expect([...statuses]).toEqual([201]);
    expect(await missing(staging, "team", [{ digest: content.digest, size: content.size }])).toEqual([]);
  });

  test("T26 an existing content is not uploaded again", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(100_000));
    await stageBlob(staging, content.bytes);
    const { created } = await createUpload(staging, content);
    expect([created.status, created.json()]).toEqual([200, { exists: true }]);
    expect(await missing(staging, "team", [{ digest: content.digest, size: content.size }])).toEqual([]);
  });

  test("an aborted upload no longer exists", async () => {
    const staging = await startStaging();
    const { path } = await createUpload(staging, contentOf(someBytes(10)));
    expect((await staging.sendRequest("DELETE", path)).status).toBe(204);
    expect((await staging.sendRequest("HEAD", path)).status).toBe(404);
  });

  test("T20 the quota of a namespace does not affect other namespaces", async () => {
    const staging = await startStaging([...alone, "--max-namespace-size", "100k"]);
    await stageBlob(staging, someBytes(80_000));
    const { created } = await createUpload(staging, contentOf(someBytes(80_000, 2)));
    expect([created.status, created.code()]).toEqual([403, "QUOTA_EXCEEDED"]);
    expect(created.message()).toBe("The namespace team uses 80000 of 102400 bytes: 80000 more exceed its quota.");
    expect((await createUpload(staging, contentOf(someBytes(80_000, 2)), "others")).created.status).toBe(201);
  });

  test("T14 a content above the limit is rejected before it is sent", async () => {
    const staging = await startStaging([...alone, "--max-blob-size", "1k"]);
    const { created } = await createUpload(staging, contentOf(someBytes(1025)));
    expect([created.status, created.code()]).toEqual([413, "TOO_LARGE"]);
  });
});

describe("bundles of API v1", () => {
  const bundle = (staging: Staging, entries: readonly unknown[], headers = {}) =>
    staging.sendRequest("POST", "/api/v1/bundles", { json: { owner: defaultOwner, entries }, headers });

  test("a bundle returns its manifest and each entry", async () => {
    const staging = await startStaging();
    const bytes = someBytes(700_000);
    const { id, path, reader } = await stageBundle(staging, bytes);
    const manifest = await staging.sendRequest("GET", path, { headers: reader });
    expect(manifest.json()).toEqual({ bundleId: id, entries: [entryOf("app.jar", contentOf(bytes))] });
    const entry = await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });
    expect([entry.status, entry.headers["content-length"]]).toEqual([200, "700000"]);
    expect(entry.headers["etag"]).toBe(`"${contentOf(bytes).digest}"`);
    expect(entry.body.equals(bytes)).toBe(true);
    expect((await staging.sendRequest("GET", `${path}/entries/1`, { headers: reader })).status).toBe(404);
  });

  test.each(["../x", "/x", "a/b", "", ".", "..", "n".repeat(300), "a\u0000b", "a\nb", "a*b"])(
    "T27 the entry name %j is rejected",
    async (name) => {
      const staging = await startStaging();
      const blob = await stageBlob(staging, someBytes(10));
      const rejected = await bundle(staging, [{ ...entryOf("x", blob), name }]);
      expect([rejected.status, rejected.code()]).toEqual([400, "BAD_REQUEST"]);
      expect(rejected.message()).toContain(`entries.0: ${JSON.stringify(name)}`);
    },
  );

  test("T27 a name must be unique within a kind", async () => {
    const staging = await startStaging();
    const blob = await stageBlob(staging, someBytes(10));
    const one = entryOf("a.zip", blob);
    expect((await bundle(staging, [one, one])).message()).toBe('entries.1: "a.zip" is also the name of another jar');
    expect((await bundle(staging, [one, { ...one, kind: "archive" }])).status).toBe(201);
  });

  test("T28 missing contents are listed", async () => {
    const staging = await startStaging();
    const [here, gone] = [await stageBlob(staging, someBytes(10)), contentOf(someBytes(10, 2))];
    const rejected = await bundle(staging, [entryOf("a", here), entryOf("b", gone), entryOf("c", gone)]);
    expect([rejected.status, rejected.code()]).toEqual([409, "MISSING_BLOBS"]);
    expect(memberOf(memberOf(rejected.json(), "error"), "missing")).toEqual([gone.digest]);
  });

  test("T29 an entry supports ranges and If-None-Match, and rejects a range beyond its end", async () => {
    const staging = await startStaging();
    const bytes = someBytes(600_000);
    const { path, reader } = await stageBundle(staging, bytes);
    const entry = (headers: Record<string, string>) =>
      staging.sendRequest("GET", `${path}/entries/0`, { headers: { ...reader, ...headers } });
    const part = await entry({ range: "bytes=300000-300009" });
    expect([part.status, part.headers["content-range"]]).toEqual([206, "bytes 300000-300009/600000"]);
    expect(part.body).toEqual(bytes.subarray(300_000, 300_010));
    expect((await entry({ range: "bytes=599990-" })).body).toEqual(bytes.subarray(599_990));
    const same = await entry({ "if-none-match": `"${contentOf(bytes).digest}"` });
    expect([same.status, same.body.length]).toEqual([304, 0]);
    const beyond = await entry({ range: "bytes=600000-" });
    expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, "bytes */600000"]);
  });

  test("T32 an idempotency key returns the same bundle and rejects a different request", async () => {
    const staging = await startStaging();
    const blob = await stageBlob(staging, someBytes(10));
    const headers = { "idempotency-key": "k1" };
    const make = () => bundle(staging, [entryOf("a", blob)], headers);
    const [one, other] = (await Promise.all([make(), make()])).map(receiptOf);
    expect(one).toEqual(other);
    const restarted = await staging.restart("SIGKILL");
    expect(receiptOf(await bundle(restarted, [entryOf("a", blob)], headers))).toEqual(one);
    expect((await bundle(restarted, [entryOf("b", blob)], headers)).status).toBe(400);
    expect(receiptOf(await bundle(restarted, [entryOf("a", blob)])).id).not.toBe(one?.id);
  });

  test("T38 bundles survive a restart", async () => {
    const staging = await startStaging();
    const bytes = someBytes(10_000);
    const { path, reader } = await stageBundle(staging, bytes);
    const next = await staging.restart("SIGTERM");
    expect((await next.sendRequest("GET", `${path}/entries/0`, { headers: reader })).body.equals(bytes)).toBe(true);
  });

  test("a lease can be renewed, and a bundle deleted", async () => {
    const staging = await startStaging();
    const { path, reader } = await stageBundle(staging, someBytes(10), { ttlSeconds: 60 });
    const renewed = await staging.sendRequest("POST", `${path}:renew`, { json: { ttlSeconds: 7200 } });
    expect(Date.parse(renewed.text("expiresAt"))).toBeGreaterThan(Date.now() + 7_000_000);
    expect((await staging.sendRequest("DELETE", path)).status).toBe(204);
    expect((await staging.sendRequest("DELETE", path)).status).toBe(404);
    const gone = await staging.sendRequest("GET", path, { headers: reader });
    expect([gone.status, gone.code()]).toEqual([410, "GONE"]);
  });

  test("an invalid body is rejected with all invalid fields", async () => {
    const staging = await startStaging();
    const rejected = await staging.sendRequest("POST", "/api/v1/uploads", {
      json: { namespace: 1, digest: "x" },
    });
    expect(rejected.status).toBe(400);
    for (const field of ["namespace", "digest", "size"]) expect(rejected.message()).toContain(field);
    expect((await staging.sendRequest("POST", "/api/v1/uploads", { body: "{" })).status).toBe(400);
  });
});
