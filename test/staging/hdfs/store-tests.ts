import { expect, test } from "vitest";
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

const mebibyte = 1024 * 1024;

/** An HDFS for the stores of tests. */
export interface StoreHdfs {
  /** URI of a directory that does not exist yet. */
  readonly newDirectory: () => string;
  /** Environment of the servers. */
  readonly env: Readonly<Record<string, string>>;
  /** Names in a directory of a store, by its URI. */
  readonly list: (directory: string) => Promise<readonly string[]>;
}

/** Tests of a staging server whose store is in an HDFS. Call it in a `describe`. */
export function testHdfsStore(hdfs: () => StoreHdfs): void {
  const serverOver = (store: string, ...more: readonly string[]) =>
    startStaging([...alone, ...more], { store, env: { ...hdfs().env } });

  const download = (staging: Staging, path: string, reader: Record<string, string>) =>
    staging.sendRequest("GET", `${path}/entries/0`, { headers: reader });

  test("T21 T24 T29 stores contents in parts, and serves them and their ranges", async () => {
    const store = hdfs().newDirectory();
    const staging = await serverOver(store);
    const [large, small] = [someBytes(20 * mebibyte), someBytes(1000, 2)];
    const bundle = await stageBundle(staging, large);
    expect((await download(staging, bundle.path, bundle.reader)).body.equals(large)).toBe(true);
    const headers = { ...bundle.reader, range: `bytes=${7 * mebibyte}-${9 * mebibyte}` };
    const part = await staging.sendRequest("GET", `${bundle.path}/entries/0`, { headers });
    expect(part.status).toBe(206);
    expect(part.body.equals(large.subarray(7 * mebibyte, 9 * mebibyte + 1))).toBe(true);
    const blobs = [await stageBlob(staging, small), await stageBlob(staging, large)];
    const absent = contentOf(someBytes(5, 3));
    const requested = [...blobs, absent].map(({ digest, size }) => ({ digest, size }));
    const missingOf = async (namespace: string) =>
      (await staging.sendRequest("POST", "/api/v1/blobs:missing", { json: { namespace, blobs: requested } })).json();
    expect(await missingOf("team")).toEqual({ missing: [absent.digest] });
    expect(await missingOf("others")).toMatchObject({ missing: [blobs[0]?.digest, blobs[1]?.digest, absent.digest] });
    expect(await hdfs().list(`${store}/uploads`)).toEqual([]);
    expect(await hdfs().list(`${store}/probes`)).toEqual([]);
  });

  test("T12 T24 stores an empty content, and concurrent uploads of one content once", async () => {
    const store = hdfs().newDirectory();
    const [one, two] = [await serverOver(store), await serverOver(store)];
    const empty = await stageBundle(one, new Uint8Array());
    expect((await download(one, empty.path, empty.reader)).body).toHaveLength(0);
    const bytes = someBytes(3 * mebibyte, 4);
    const bundles = await Promise.all([one, two, one, two].map((staging) => stageBundle(staging, bytes)));
    for (const { path, reader } of bundles) expect((await download(two, path, reader)).body.equals(bytes)).toBe(true);
    const hex = contentOf(bytes).digest.slice("sha256:".length);
    const parts = await hdfs().list(`${store}/blobs/sha256/${hex.slice(0, 2)}/${hex.slice(2)}`);
    expect(parts).toEqual(["0000000000000000"]);
  });

  test("T22 T23 T25 continues and verifies an upload after the server was killed", async () => {
    const store = hdfs().newDirectory();
    const first = await serverOver(store);
    const bytes = someBytes(20 * mebibyte, 5);
    const { digest, size } = contentOf(bytes);
    const created = await first.sendRequest("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    const path = `/api/v1/uploads/${created.text("uploadId")}`;
    const send = (staging: Staging, start: number, end: number) =>
      staging.sendRequest("PATCH", path, { body: bytes.subarray(start, end), headers: { "upload-offset": start } });
    const eleven = 11 * mebibyte;
    expect((await send(first, 0, eleven)).status).toBe(204);
    expect((await send(first, eleven, eleven + 7)).headers["upload-offset"]).toBe(String(eleven + 7));
    // The server is killed while it receives more.
    const cut = send(first, eleven + 7, size).catch(() => undefined);
    const second = await first.restart("SIGKILL");
    await cut;
    const head = await second.sendRequest("HEAD", path);
    const offset = Number(head.headers["upload-offset"]);
    expect(offset).toBeGreaterThanOrEqual(eleven + 7);
    expect((await send(second, 0, 5)).status).toBe(409);
    expect((await send(second, offset, size)).status).toBe(204);
    expect((await second.sendRequest("POST", `${path}:commit`)).status).toBe(201);
    expect((await second.sendRequest("POST", `${path}:commit`)).status).toBe(404);
    const json = { owner: defaultOwner, entries: [entryOf("a.jar", { digest, size })] };
    const bundle = receiptOf(await second.sendRequest("POST", "/api/v1/bundles", { json }));
    expect((await download(second, bundle.path, bundle.reader)).body.equals(bytes)).toBe(true);

    const wrong = { namespace: "team", digest: contentOf(someBytes(9, 6)).digest, size: mebibyte };
    const other = await second.sendRequest("POST", "/api/v1/uploads", { json: wrong });
    const wrongPath = `/api/v1/uploads/${other.text("uploadId")}`;
    const body = bytes.subarray(0, mebibyte);
    await second.sendRequest("PATCH", wrongPath, { body, headers: { "upload-offset": 0 } });
    expect((await second.sendRequest("POST", `${wrongPath}:commit`)).status).toBe(422);
    expect(await hdfs().list(`${store}/uploads`)).toEqual([]);
  });

  test("T02 T03 T38 supports API v0, and keeps IDs and secrets across a restart", async () => {
    const staging = await serverOver(hdfs().newDirectory());
    const bytes = someBytes(18 * mebibyte, 7);
    const made = await staging.sendRequest("POST", "/api/v0/resources/", defaultForm(bytes));
    expect(made.status).toBe(200);
    const again = await staging.restart("SIGTERM");
    const path = `/api/v0/resources/${made.text("resourceId")}`;
    const headers = { authorization: made.text("resourceSecret") };
    expect((await again.sendRequest("GET", path, { headers })).body.equals(bytes)).toBe(true);
    expect((await again.sendRequest("GET", path, { headers: { authorization: "x" } })).status).toBe(401);
  });

  test("T39 is shared by two servers, which serve each other's contents and accept each other's tokens", async () => {
    const store = hdfs().newDirectory();
    const [one, two] = [await serverOver(store), await serverOver(store)];
    const bytes = someBytes(2 * mebibyte, 8);
    const bundle = await stageBundle(one, bytes);
    expect((await download(two, bundle.path, bundle.reader)).body.equals(bytes)).toBe(true);
    expect((await two.sendRequest("DELETE", bundle.path)).status).toBe(204);
    expect((await one.sendRequest("GET", bundle.path, { headers: bundle.reader })).status).toBe(410);
  });

  test("T39 two servers write parts of one upload, and none of them is lost or doubled", async () => {
    const store = hdfs().newDirectory();
    const servers = [await serverOver(store), await serverOver(store)];
    const bytes = someBytes(600_000, 12);
    const { digest, size } = contentOf(bytes);
    const json = { namespace: "team", digest, size };
    const created = await servers[0]?.sendRequest("POST", "/api/v1/uploads", { json });
    const path = `/api/v1/uploads/${created?.text("uploadId")}`;
    const step = 100_000;
    for (let offset = 0; offset < size; offset += step) {
      const body = bytes.subarray(offset, offset + step);
      const sent = servers.map((staging) =>
        staging.sendRequest("PATCH", path, { body, headers: { "upload-offset": offset } }),
      );
      const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
      expect(statuses[0]).toBe(204);
      expect([204, 409, 500]).toContain(statuses[1]);
    }
    expect((await servers[1]?.sendRequest("POST", `${path}:commit`))?.status).toBe(201);
  });

  test("T41 removes only contents that no bundle needs", async () => {
    const store = hdfs().newDirectory();
    const first = await serverOver(store);
    const kept = await stageBundle(first, someBytes(9 * mebibyte, 9), { ttlSeconds: 3600 });
    const expiring = await stageBundle(first, someBytes(100, 10), { ttlSeconds: 4 });
    const { digest, size } = contentOf(someBytes(mebibyte, 11));
    await first.sendRequest("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    // Its grace period is shorter than the time that a busy machine takes to stage a bundle, so it only cleans.
    const staging = await serverOver(store, "--clean-interval", "200ms", "--grace", "2s", "--upload-idle", "2s");
    const isDeleted = async () =>
      (await staging.sendRequest("GET", expiring.path, { headers: expiring.reader })).status === 410 ? true : undefined;
    await until(isDeleted, 180_000);
    const hex = contentOf(someBytes(100, 10)).digest.slice("sha256:".length);
    const isSwept = async () => {
      const names = await hdfs().list(`${store}/blobs/sha256/${hex.slice(0, 2)}`);
      const uploads = await hdfs().list(`${store}/uploads`);
      return names.length + uploads.length === 0 ? true : undefined;
    };
    await until(isSwept, 180_000);
    const got = await download(staging, kept.path, kept.reader);
    expect(got.body.equals(someBytes(9 * mebibyte, 9))).toBe(true);
  });

  test("T18 accepts 200 uploads at once, or asks the clients to retry", async () => {
    const staging = await serverOver(hdfs().newDirectory());
    const stageOnce = async (seed: number): Promise<void> => {
      const bytes = someBytes(20_000, 1000 + seed);
      const { digest, size } = contentOf(bytes);
      await until(async () => {
        const json = { namespace: "team", digest, size };
        const created = await staging.sendRequest("POST", "/api/v1/uploads", { json });
        if (created.status === 200) return true;
        if (created.status !== 201) {
          expect([429, 503]).toContain(created.status);
          return undefined;
        }
        const path = `/api/v1/uploads/${created.text("uploadId")}`;
        const headers = { "upload-offset": 0 };
        const sent = await staging.sendRequest("PATCH", path, { body: bytes, headers });
        const done = sent.status === 204 ? await staging.sendRequest("POST", `${path}:commit`) : sent;
        if (done.status !== 201) expect([429, 503]).toContain(done.status);
        return done.status === 201 ? true : undefined;
      }, 240_000);
    };
    await Promise.all(Array.from({ length: 200 }, (_, index) => stageOnce(index)));
    expect((await staging.sendRequest("GET", "/readyz")).status).toBe(200);
  });
}
