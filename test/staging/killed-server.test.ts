import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  contentOf,
  defaultForm,
  memberOf,
  type StagedBundle,
  type Staging,
  someBytes,
  stageBlob,
  stageBundle,
  startStaging,
} from "./staging-program.ts";

/** Number of times that the server is killed; `npm run test:slow` sets more. */
const kills = Number(process.env["FIRESTEEL_KILLS"] ?? "5");
/** Limit per kill, which takes about a second; more on a busy machine. */
const killsTimeoutMs = 60_000 + kills * 5000;

/** Changes that the server acknowledged. */
interface Acknowledged {
  readonly bundles: { readonly bundle: StagedBundle; readonly bytes: Buffer }[];
  readonly resources: { readonly path: string; readonly secret: string; readonly bytes: Buffer }[];
  readonly uploads: { readonly path: string; readonly bytes: Buffer; offset: number }[];
  readonly deleted: StagedBundle[];
}

const changes: readonly ((staging: Staging, seed: number, done: Acknowledged) => Promise<void>)[] = [
  async function createBundle(staging, seed, { bundles }) {
    const bytes = someBytes(1 + ((seed * 7919) % 200_000), seed);
    bundles.push({ bundle: await stageBundle(staging, bytes), bytes });
  },
  async function createResource(staging, seed, { resources }) {
    const bytes = someBytes(1 + ((seed * 104_729) % 200_000), seed);
    const made = await staging.sendRequest("POST", "/api/v0/resources", defaultForm(bytes));
    const [id, secret] = [made.text("resourceId"), made.text("resourceSecret")];
    resources.push({ path: `/api/v0/resources/${id}`, secret, bytes });
  },
  async function uploadInParts(staging, seed, { uploads }) {
    const { bytes, digest, size } = contentOf(someBytes(120_000, seed));
    const created = await staging.sendRequest("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
    const upload = { path: `/api/v1/uploads/${created.text("uploadId")}`, bytes: Buffer.from(bytes), offset: 0 };
    uploads.push(upload);
    for (const part of [40_000, 30_000]) {
      const body = bytes.subarray(upload.offset, upload.offset + part);
      const sent = await staging.sendRequest("PATCH", upload.path, {
        body,
        headers: { "upload-offset": upload.offset },
      });
      if (sent.status === 204) upload.offset += part;
    }
  },
  async function deleteBundle(staging, seed, { deleted }) {
    const bundle = await stageBundle(staging, someBytes(1000, seed));
    if ((await staging.sendRequest("DELETE", bundle.path)).status === 204) deleted.push(bundle);
  },
];

/** Makes changes until the server is killed. Only a lost connection ends a change without a result. */
async function change(staging: Staging, first: number, done: Acknowledged): Promise<void> {
  for (let seed = first; ; seed += changes.length) {
    try {
      await changes[first % changes.length]?.(staging, seed, done);
    } catch (error) {
      expect(["ECONNRESET", "ECONNREFUSED", "EPIPE"]).toContain(memberOf(error, "code"));
      return;
    }
  }
}

async function expectAcknowledged(staging: Staging, { bundles, resources, uploads, deleted }: Acknowledged) {
  for (const { bundle, bytes } of bundles) {
    const { status, body } = await staging.sendRequest("GET", `${bundle.path}/entries/0`, { headers: bundle.reader });
    expect([status, body.equals(bytes)]).toEqual([200, true]);
  }
  for (const { path, secret, bytes } of resources) {
    const { status, body } = await staging.sendRequest("GET", path, { headers: { authorization: secret } });
    expect([status, body.equals(bytes)]).toEqual([200, true]);
  }
  for (const { path, reader } of deleted) {
    expect((await staging.sendRequest("GET", `${path}/entries/0`, { headers: reader })).status).not.toBe(200);
  }
  for (const { path, bytes, offset } of uploads) {
    const head = await staging.sendRequest("HEAD", path);
    const stored = Number(head.headers["upload-offset"]);
    expect([head.status, stored >= offset]).toEqual([200, true]);
    const headers = { "upload-offset": stored };
    await staging.sendRequest("PATCH", path, { body: bytes.subarray(stored), headers });
    expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);
  }
}

/** Checks that each blob has the content that its path names. */
function expectCompleteBlobs(store: string): void {
  for (const path of readdirSync(`${store}/blobs`, { recursive: true, encoding: "utf8" })) {
    const digest = path.replaceAll("/", "").match(/[0-9a-f]{64}$/)?.[0];
    if (digest === undefined) continue;
    expect(contentOf(readFileSync(`${store}/blobs/${path}`)).digest).toBe(`sha256:${digest}`);
  }
}

test(
  "a server that is killed at random moments keeps all acknowledged changes, and nothing incomplete",
  async () => {
    let staging = await startStaging();
    for (let count = 0; count < kills; count += 1) {
      const done: Acknowledged = { bundles: [], resources: [], uploads: [], deleted: [] };
      const seed = 1000 * (count + 1);
      const running = Array.from({ length: 2 * changes.length }, (_, index) => change(staging, seed + index, done));
      await setTimeout(Math.random() * 400);
      const [next] = await Promise.all([staging.restart("SIGKILL"), ...running]);
      staging = next;
      await expectAcknowledged(staging, done);
      expectCompleteBlobs(staging.store);
    }
    await stageBlob(staging, someBytes(1000));
  },
  killsTimeoutMs,
);
