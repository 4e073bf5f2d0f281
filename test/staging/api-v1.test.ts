import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  alone,
  contentOf,
  entryOf,
  memberOf,
  receiptOf,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
  usualOwner,
} from "./staging-program.ts";

const missing = async (staging: Staging, namespace: string, blobs: readonly unknown[]) =>
  memberOf(
    (await staging.ask("POST", "/api/v1/blobs:missing", { json: { namespace, blobs } })).json(),
    "missing",
  );

const begin = async (staging: Staging, blob: { digest: string; size: number }, namespace = "team") => {
  const { digest, size } = blob;
  const begun = await staging.ask("POST", "/api/v1/uploads", { json: { namespace, digest, size } });
  return { begun, path: `/api/v1/uploads/${begun.status === 201 ? begun.text("uploadId") : ""}` };
};

const send = (staging: Staging, path: string, offset: number, body: Uint8Array) =>
  staging.ask("PATCH", path, { body, headers: { "upload-offset": offset } });

const blobFiles = (staging: Staging) =>
  readdirSync(`${staging.store}/blobs`, { recursive: true }).filter((path) =>
    /[0-9a-f]{62}$/.test(String(path)),
  );

describe("uploads of API v1", () => {
  test("T21 a thousand contents are asked for at once, and each namespace has its own", async () => {
    const staging = await startStaging();
    const blobs = Array.from({ length: 1000 }, (_, index) => contentOf(Buffer.from(`content ${index}`)));
    const asked = blobs.map(({ digest, size }) => ({ digest, size }));
    expect(await missing(staging, "team", asked)).toEqual(asked.map(({ digest }) => digest));
    const [first] = blobs;
    if (first === undefined) throw new Error("no blob");
    await stageBlob(staging, first.bytes);
    expect(await missing(staging, "team", asked)).toEqual(asked.slice(1).map(({ digest }) => digest));
    expect(await missing(staging, "others", asked)).toHaveLength(1000);
  });

  test("T22 bytes at a wrong place are refused with the right one, and the upload goes on there", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(300_000));
    const { begun, path } = await begin(staging, content);
    expect(begun.headers["location"]).toBe(path);
    expect((await send(staging, path, 0, content.bytes.subarray(0, 100_000))).headers["upload-offset"]).toBe(
      "100000",
    );
    for (const wrong of [0, 99_999, 200_000]) {
      const refused = await send(staging, path, wrong, content.bytes.subarray(wrong, wrong + 10));
      expect([refused.status, refused.code()]).toEqual([409, "WRONG_OFFSET"]);
      expect(refused.headers["upload-offset"]).toBe("100000");
    }
    expect((await send(staging, path, 100_000, content.bytes.subarray(100_000))).status).toBe(204);
    const done = await staging.ask("POST", `${path}:commit`);
    expect([done.status, done.text("digest")]).toEqual([201, content.digest]);
  });

  test("T22 no more is taken than was announced", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(1000));
    const { path } = await begin(staging, content);
    const refused = await send(staging, path, 0, someBytes(2000));
    expect([refused.status, refused.code()]).toEqual([413, "TOO_LARGE"]);
    expect((await staging.ask("PATCH", path, { body: "x" })).status).toBe(400);
  });

  test("T23 what is not what it was said to be is not kept, and can be sent again", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(50_000));
    for (const bytes of [someBytes(50_000, 2), content.bytes.subarray(1)]) {
      const { path } = await begin(staging, content);
      await send(staging, path, 0, bytes);
      const refused = await staging.ask("POST", `${path}:commit`);
      expect([refused.status, refused.code()]).toEqual([422, "DIGEST_MISMATCH"]);
      expect((await staging.ask("HEAD", path)).status).toBe(404);
    }
    expect(blobFiles(staging)).toEqual([]);
    expect(await stageBlob(staging, content.bytes)).toMatchObject({ digest: content.digest });
    expect(blobFiles(staging)).toHaveLength(1);
  });

  test("T24 two who bring the same at once both succeed, and it is kept once", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(200_000));
    const uploads = await Promise.all(
      ["team", "team", "others"].map((name) => begin(staging, content, name)),
    );
    await Promise.all(uploads.map(({ path }) => send(staging, path, 0, content.bytes)));
    const done = await Promise.all(uploads.map(({ path }) => staging.ask("POST", `${path}:commit`)));
    expect(done.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(blobFiles(staging)).toHaveLength(1);
  });

  test("T25 what was acknowledged outlives a killed server", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(400_000));
    const { path } = await begin(staging, content);
    await send(staging, path, 0, content.bytes.subarray(0, 250_000));
    const next = await staging.restart("SIGKILL");
    const head = await next.ask("HEAD", path);
    expect([head.status, head.headers["upload-length"]]).toEqual([200, "400000"]);
    const offset = Number(head.headers["upload-offset"]);
    expect(offset).toBeGreaterThanOrEqual(250_000);
    await send(next, path, offset, content.bytes.subarray(offset));
    expect((await next.ask("POST", `${path}:commit`)).status).toBe(201);
  });

  test("who commits several times at once has lost an answer, and gets it again", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(5_000_000));
    const { path } = await begin(staging, content);
    await send(staging, path, 0, content.bytes);
    const commits = Array.from({ length: 20 }, () => staging.ask("POST", `${path}:commit`));
    const statuses = new Set((await Promise.all(commits)).map(({ status }) => status));
    statuses.delete(404);
    expect([...statuses]).toEqual([201]);
    expect(await missing(staging, "team", [{ digest: content.digest, size: content.size }])).toEqual([]);
  });

  test("T26 what is there is not sent a second time", async () => {
    const staging = await startStaging();
    const content = contentOf(someBytes(100_000));
    await stageBlob(staging, content.bytes);
    const { begun } = await begin(staging, content);
    expect([begun.status, begun.json()]).toEqual([200, { exists: true }]);
    expect(await missing(staging, "team", [{ digest: content.digest, size: content.size }])).toEqual([]);
  });

  test("an upload that is given up is gone", async () => {
    const staging = await startStaging();
    const { path } = await begin(staging, contentOf(someBytes(10)));
    expect((await staging.ask("DELETE", path)).status).toBe(204);
    expect((await staging.ask("HEAD", path)).status).toBe(404);
  });

  test("T20 a namespace has so much, and others are not concerned", async () => {
    const staging = await startStaging([...alone, "--max-namespace-size", "100k"]);
    await stageBlob(staging, someBytes(80_000));
    const { begun } = await begin(staging, contentOf(someBytes(80_000, 2)));
    expect([begun.status, begun.code()]).toEqual([403, "QUOTA_EXCEEDED"]);
    expect(begun.message()).toBe(
      "The namespace team uses 80000 of 102400 bytes: 80000 more exceed its quota.",
    );
    expect((await begin(staging, contentOf(someBytes(80_000, 2)), "others")).begun.status).toBe(201);
  });

  test("T14 what is too large is refused before it is sent", async () => {
    const staging = await startStaging([...alone, "--max-blob-size", "1k"]);
    const { begun } = await begin(staging, contentOf(someBytes(1025)));
    expect([begun.status, begun.code()]).toEqual([413, "TOO_LARGE"]);
  });
});

describe("bundles of API v1", () => {
  const bundle = (staging: Staging, entries: readonly unknown[], headers = {}) =>
    staging.ask("POST", "/api/v1/bundles", { json: { owner: usualOwner, entries }, headers });

  test("a bundle tells what is in it, and gives each entry", async () => {
    const staging = await startStaging();
    const bytes = someBytes(700_000);
    const { id, path, reader } = await stageBundle(staging, bytes);
    const manifest = await staging.ask("GET", path, { headers: reader });
    expect(manifest.json()).toEqual({ bundleId: id, entries: [entryOf("app.jar", contentOf(bytes))] });
    const entry = await staging.ask("GET", `${path}/entries/0`, { headers: reader });
    expect([entry.status, entry.headers["content-length"]]).toEqual([200, "700000"]);
    expect(entry.headers["etag"]).toBe(`"${contentOf(bytes).digest}"`);
    expect(entry.body.equals(bytes)).toBe(true);
    expect((await staging.ask("GET", `${path}/entries/1`, { headers: reader })).status).toBe(404);
  });

  test.each(["../x", "/x", "a/b", "", ".", "..", "n".repeat(300), "a\u0000b", "a\nb", "a*b"])(
    "T27 %j is no name",
    async (name) => {
      const staging = await startStaging();
      const blob = await stageBlob(staging, someBytes(10));
      const refused = await bundle(staging, [{ ...entryOf("x", blob), name }]);
      expect([refused.status, refused.code()]).toEqual([400, "BAD_REQUEST"]);
      expect(refused.message()).toContain(`entries.0: ${JSON.stringify(name)}`);
    },
  );

  test("T27 a name is there once for a kind", async () => {
    const staging = await startStaging();
    const blob = await stageBlob(staging, someBytes(10));
    const one = entryOf("a.zip", blob);
    expect((await bundle(staging, [one, one])).message()).toBe(
      'entries.1: "a.zip" is also the name of another jar',
    );
    expect((await bundle(staging, [one, { ...one, kind: "archive" }])).status).toBe(201);
  });

  test("T28 contents that are not there are named", async () => {
    const staging = await startStaging();
    const [here, gone] = [await stageBlob(staging, someBytes(10)), contentOf(someBytes(10, 2))];
    const refused = await bundle(staging, [entryOf("a", here), entryOf("b", gone), entryOf("c", gone)]);
    expect([refused.status, refused.code()]).toEqual([409, "MISSING_BLOBS"]);
    expect(memberOf(memberOf(refused.json(), "error"), "missing")).toEqual([gone.digest]);
  });

  test("T29 a part of an entry, what has not changed, and what is beyond its end", async () => {
    const staging = await startStaging();
    const bytes = someBytes(600_000);
    const { path, reader } = await stageBundle(staging, bytes);
    const entry = (headers: Record<string, string>) =>
      staging.ask("GET", `${path}/entries/0`, { headers: { ...reader, ...headers } });
    const part = await entry({ range: "bytes=300000-300009" });
    expect([part.status, part.headers["content-range"]]).toEqual([206, "bytes 300000-300009/600000"]);
    expect(part.body).toEqual(bytes.subarray(300_000, 300_010));
    expect((await entry({ range: "bytes=599990-" })).body).toEqual(bytes.subarray(599_990));
    const same = await entry({ "if-none-match": `"${contentOf(bytes).digest}"` });
    expect([same.status, same.body.length]).toEqual([304, 0]);
    const beyond = await entry({ range: "bytes=600000-" });
    expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, "bytes */600000"]);
  });

  test("T32 the same key makes the same bundle, and no other one", async () => {
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

  test("T38 a restart forgets no bundle", async () => {
    const staging = await startStaging();
    const bytes = someBytes(10_000);
    const { path, reader } = await stageBundle(staging, bytes);
    const next = await staging.restart("SIGTERM");
    expect((await next.ask("GET", `${path}/entries/0`, { headers: reader })).body.equals(bytes)).toBe(true);
  });

  test("a lease can be made longer, and a bundle deleted", async () => {
    const staging = await startStaging();
    const { path, reader } = await stageBundle(staging, someBytes(10), { ttlSeconds: 60 });
    const renewed = await staging.ask("POST", `${path}:renew`, { json: { ttlSeconds: 7200 } });
    expect(Date.parse(renewed.text("expiresAt"))).toBeGreaterThan(Date.now() + 7_000_000);
    expect((await staging.ask("DELETE", path)).status).toBe(204);
    expect((await staging.ask("DELETE", path)).status).toBe(404);
    const gone = await staging.ask("GET", path, { headers: reader });
    expect([gone.status, gone.code()]).toEqual([410, "GONE"]);
  });

  test("a body of another shape is told all that is wrong with it", async () => {
    const staging = await startStaging();
    const refused = await staging.ask("POST", "/api/v1/uploads", { json: { namespace: 1, digest: "x" } });
    expect(refused.status).toBe(400);
    for (const field of ["namespace", "digest", "size"]) expect(refused.message()).toContain(field);
    expect((await staging.ask("POST", "/api/v1/uploads", { body: "{" })).status).toBe(400);
  });
});
