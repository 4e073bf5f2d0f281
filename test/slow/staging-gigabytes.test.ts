import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import {
  alone,
  contentOf,
  defaultForm,
  readResponse,
  type StagingResponse,
  someBytes,
  stageBundle,
  startStaging,
} from "../staging/staging-program.ts";

const mebibyte = 1024 * 1024;
const size = 1024 * mebibyte;
const piece = someBytes(mebibyte);

function* gibibyte(): Generator<Buffer> {
  for (let sent = 0; sent < size; sent += piece.length) yield piece;
}

const digest = (() => {
  const hash = createHash("sha256");
  for (const bytes of gibibyte()) hash.update(bytes);
  return `sha256:${hash.digest("hex")}`;
})();

/** Sends a long body. */
async function send(
  port: number,
  method: string,
  path: string,
  headers: object,
  body: Iterable<Buffer>,
): Promise<StagingResponse> {
  const call = request({ host: "127.0.0.1", port, method, path, headers: { ...headers }, agent: false });
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    call.on("response", resolve).on("error", reject);
  });
  await pipeline(Readable.from(body), call);
  return readResponse(await responded);
}

/** Returns the peak memory of a process in bytes. */
function peakOf(child: Pick<ChildProcess, "pid">): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test("T13 1 GiB is stored and served with less than 256 MiB of memory, by both APIs", async () => {
  const staging = await startStaging();
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace: "team", digest, size },
  });
  const path = `/api/v1/uploads/${created.text("uploadId")}`;
  const headers = { "upload-offset": 0, "content-length": size };
  expect((await send(staging.port, "PATCH", path, headers, gibibyte())).status).toBe(204);
  expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);

  const { body, headers: form } = defaultForm("@");
  const at = body.indexOf("@");
  const parts = function* () {
    yield body.subarray(0, at);
    yield* gibibyte();
    yield body.subarray(at + 1);
  };
  const length = { ...form, "content-length": body.length - 1 + size };
  const made = await send(staging.port, "POST", "/api/v0/resources", length, parts());
  expect(made.status).toBe(200);

  const reader = { authorization: made.text("resourceSecret") };
  expect(await hashOfResponse(staging.port, `/api/v0/resources/${made.text("resourceId")}`, reader)).toBe(digest);
  expect(peakOf(staging.program.child)).toBeLessThan(256 * mebibyte);
  // Both uploads have the same content, which is stored once.
  const hex = digest.slice("sha256:".length);
  expect(statSync(`${staging.store}/blobs/sha256/${hex.slice(0, 2)}/${hex.slice(2)}`).size).toBe(size);
});

/** Returns the SHA-256 of a response, unless the request is rejected. */
async function hashOfResponse(port: number, path: string, headers: object): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers: { ...headers }, agent: false }, resolve)
      .on("error", reject)
      .end();
  });
  const hash = createHash("sha256");
  for await (const chunk of response) hash.update(chunk);
  return response.statusCode === 200 ? `sha256:${hash.digest("hex")}` : `status ${response.statusCode}`;
}

test("T18 200 concurrent uploads and downloads of 20 MiB succeed, and ping stays fast", async () => {
  const staging = await startStaging();
  const rest = someBytes(mebibyte);
  // The contents differ in their first piece and share the memory of the rest.
  const piecesOf = (index: number) => {
    const first = Buffer.from(rest);
    first.writeUInt32LE(index);
    return [first, ...Array.from({ length: 19 }, () => rest)];
  };
  const { path, reader } = await stageBundle(staging, Buffer.concat(piecesOf(0)));
  const expected = contentOf(Buffer.concat(piecesOf(0))).digest;
  let isDone = false;
  const waits: number[] = [];
  const pinging = (async () => {
    while (!isDone) {
      const created = performance.now();
      expect((await staging.sendRequest("GET", "/api/v0/ping")).status).toBe(200);
      waits.push(performance.now() - created);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const upload = async (index: number) => {
    const pieces = piecesOf(index);
    const hash = createHash("sha256");
    for (const bytes of pieces) hash.update(bytes);
    const about = { namespace: "team", digest: `sha256:${hash.digest("hex")}`, size: 20 * mebibyte };
    const created = await staging.sendRequest("POST", "/api/v1/uploads", { json: about });
    const where = `/api/v1/uploads/${created.text("uploadId")}`;
    const headers = { "upload-offset": 0, "content-length": about.size };
    const sent = await send(staging.port, "PATCH", where, headers, pieces);
    return [sent.status, (await staging.sendRequest("POST", `${where}:commit`)).status];
  };
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  const [uploads, downloads] = await Promise.all([
    Promise.all(numbers.map(upload)),
    Promise.all(numbers.map(() => hashOfResponse(staging.port, `${path}/entries/0`, reader))),
  ]);
  isDone = true;
  await pinging;
  expect(new Set(uploads.map(String))).toEqual(new Set(["204,201"]));
  expect(new Set(downloads)).toEqual(new Set([expected]));
  expect(waits.sort((a, b) => a - b).at(Math.floor(waits.length / 2))).toBeLessThan(1000);
});

test("T14 a bundle of 5 GiB is stored and served", async () => {
  const staging = await startStaging();
  const { body, headers: form } = defaultForm("@");
  const at = body.indexOf("@");
  const hash = createHash("sha256");
  const parts = function* () {
    yield body.subarray(0, at);
    for (let count = 0; count < 5 * 1024; count += 1) {
      hash.update(piece);
      yield piece;
    }
    yield body.subarray(at + 1);
  };
  const headers = { ...form, "content-length": body.length - 1 + 5 * size };
  const made = await send(staging.port, "POST", "/api/v0/resources", headers, parts());
  expect(made.status).toBe(200);
  const reader = { authorization: made.text("resourceSecret") };
  const path = `/api/v0/resources/${made.text("resourceId")}`;
  expect(await hashOfResponse(staging.port, path, reader)).toBe(`sha256:${hash.digest("hex")}`);
  expect(peakOf(staging.program.child)).toBeLessThan(256 * mebibyte);
});

test("T14 5 GiB above the limit are rejected, and nothing is stored", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const about = { namespace: "team", digest, size: 5 * size };
  expect((await staging.sendRequest("POST", "/api/v1/uploads", { json: about })).status).toBe(413);
});
