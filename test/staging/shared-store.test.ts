import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { digestCache } from "../../src/staging-client/digest-cache.ts";
import { stagingClient } from "../../src/staging-client/staging-client.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { contentOf, receiptOf, type Staging, someBytes, startStaging } from "./staging-program.ts";

const host = nodeHost();
const owner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" } as const;

function contentsIn({ store }: Staging): readonly string[] {
  const paths = readdirSync(join(store, "blobs"), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => /\/[0-9a-f]{62}$/.test(path));
}

function uploadFiles({ store }: Staging): readonly string[] {
  return readdirSync(join(store, "uploads"));
}

describe("two servers of one store directory", { timeout: 120_000 }, () => {
  async function startTwo() {
    const one = await startStaging();
    return [one, await startStaging(undefined, { store: one.store })] as const;
  }

  test("T24 T39 receive the same file concurrently, store it once, and serve each other's bundles", async () => {
    const servers = await startTwo();
    const bytes = someBytes(30_000_000);
    const path = join(temporaryDirectory(), "app.jar");
    writeFileSync(path, bytes);
    const file = await digestCache(host, join(temporaryDirectory(), "digests")).digestOf(path);
    const receipts = await Promise.all(
      servers.map(({ port }) => {
        const url = `http://127.0.0.1:${port}`;
        const client = stagingClient(host, { url, cachePath: temporaryDirectory() });
        const files = [{ kind: "jar", name: "app.jar", path, ...file }] as const;
        return client.stage({ files, owner }).finally(client.close);
      }),
    );
    const [one, two] = servers;
    expect(contentsIn(one)).toHaveLength(1);
    expect(uploadFiles(one)).toEqual([]);
    for (const [index, { bundleId, token }] of receipts.entries()) {
      const other = index === 0 ? two : one;
      const headers = { authorization: `Bearer ${token}` };
      const got = await other.sendRequest("GET", `/api/v1/bundles/${bundleId}/entries/0`, { headers });
      expect([got.status, contentOf(got.body).digest]).toEqual([200, contentOf(bytes).digest]);
    }
  });

  test("T25 T39 continue each other's uploads, and share the deletion of bundles", async () => {
    const [one, two] = await startTwo();
    const { bytes, digest, size } = contentOf(someBytes(3_000_000));
    const created = await one.sendRequest("POST", "/api/v1/uploads", {
      json: { namespace: "team", digest, size },
    });
    const path = `/api/v1/uploads/${created.text("uploadId")}`;
    const cut = 1_000_001;
    const send = (server: Staging, from: number, to: number) =>
      server.sendRequest("PATCH", path, {
        body: bytes.subarray(from, to),
        headers: { "upload-offset": from },
      });
    expect((await send(one, 0, cut)).status).toBe(204);
    expect((await two.sendRequest("HEAD", path)).headers["upload-offset"]).toBe(String(cut));
    expect((await send(two, cut, 2 * cut)).status).toBe(204);
    expect((await send(one, cut, 2 * cut)).status).toBe(409);
    expect((await send(one, 2 * cut, size)).status).toBe(204);
    expect((await two.sendRequest("POST", `${path}:commit`)).status).toBe(201);
    const entries = [{ kind: "jar", name: "a.jar", digest, size, executable: false }];
    const bundle = receiptOf(await one.sendRequest("POST", "/api/v1/bundles", { json: { owner, entries } }));
    const got = await two.sendRequest("GET", `${bundle.path}/entries/0`, { headers: bundle.reader });
    expect(got.body.equals(bytes)).toBe(true);
    expect((await one.sendRequest("DELETE", bundle.path)).status).toBe(204);
    expect((await two.sendRequest("GET", bundle.path, { headers: bundle.reader })).status).toBe(410);
  });
});
