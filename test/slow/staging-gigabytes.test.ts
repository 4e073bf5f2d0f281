import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, test } from "vitest";
import {
  type Answer,
  alone,
  contentOf,
  readAnswer,
  someBytes,
  stageBundle,
  startStaging,
  usualForm,
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
): Promise<Answer> {
  const call = request({ host: "127.0.0.1", port, method, path, headers: { ...headers }, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.on("response", resolve).on("error", reject);
  });
  await pipeline(Readable.from(body), call);
  return readAnswer(await answered);
}

/** The most memory that a process ever had, in bytes. */
function peakOf(child: Pick<ChildProcess, "pid">): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test("T13 a gibibyte goes in and out through less than 256 MiB of memory, by both APIs", async () => {
  const staging = await startStaging();
  const begun = await staging.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
  const path = `/api/v1/uploads/${begun.text("uploadId")}`;
  const headers = { "upload-offset": 0, "content-length": size };
  expect((await send(staging.port, "PATCH", path, headers, gibibyte())).status).toBe(204);
  expect((await staging.ask("POST", `${path}:commit`)).status).toBe(201);

  const { body, headers: form } = usualForm("@");
  const at = body.indexOf("@");
  const parts = function* () {
    yield body.subarray(0, at);
    yield* gibibyte();
    yield body.subarray(at + 1);
  };
  const length = { ...form, "content-length": body.length - 1 + size };
  const made = await send(staging.port, "POST", "/api/v0/resources", length, parts());
  expect(made.status).toBe(200);

  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const where = {
      host: "127.0.0.1",
      port: staging.port,
      path: `/api/v0/resources/${made.text("resourceId")}`,
    };
    request({ ...where, headers: { authorization: made.text("resourceSecret") } }, resolve)
      .on("error", reject)
      .end();
  });
  const hash = createHash("sha256");
  for await (const chunk of response) hash.update(chunk);
  expect(`sha256:${hash.digest("hex")}`).toBe(digest);
  expect(peakOf(staging.program.child)).toBeLessThan(256 * mebibyte);
  // Both are the same content, which is kept once.
  const hex = digest.slice("sha256:".length);
  expect(statSync(`${staging.store}/blobs/sha256/${hex.slice(0, 2)}/${hex.slice(2)}`).size).toBe(size);
});

test("T18 two hundred uploads of 20 MiB beside as many downloads, fifty at once, are all served, and ping is quick", async () => {
  const staging = await startStaging();
  const bytes = someBytes(20 * mebibyte);
  const { path, reader } = await stageBundle(staging, bytes);
  const other = (index: number) => {
    const changed = Buffer.from(bytes);
    changed.writeUInt32LE(index, 0);
    return changed;
  };
  let isOver = false;
  const waits: number[] = [];
  const pinging = (async () => {
    while (!isOver) {
      const begun = performance.now();
      expect((await staging.ask("GET", "/api/v0/ping")).status).toBe(200);
      waits.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const upload = async (index: number) => {
    const content = contentOf(other(index + 1));
    const about = { namespace: "team", digest: content.digest, size: content.size };
    const begun = await staging.ask("POST", "/api/v1/uploads", { json: about });
    const where = `/api/v1/uploads/${begun.text("uploadId")}`;
    await staging.ask("PATCH", where, { body: content.bytes, headers: { "upload-offset": 0 } });
    return (await staging.ask("POST", `${where}:commit`)).status;
  };
  const download = async () => {
    const { status, body } = await staging.ask("GET", `${path}/entries/0`, { headers: reader });
    return status === 200 && body.equals(bytes) ? 200 : status;
  };
  // Each of the two has its memory here, too: so many at once, time and again.
  for (let round = 0; round < 8; round += 1) {
    const some = Array.from({ length: 25 }, (_, index) => round * 25 + index);
    const done = await Promise.all(some.flatMap((index) => [upload(index), download()]));
    expect(done.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  }
  isOver = true;
  await pinging;
  expect(waits.sort((a, b) => a - b).at(Math.floor(waits.length / 2))).toBeLessThan(1000);
});

test("T14 five gibibytes are too many where fewer are allowed, and nothing of them is kept", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const about = { namespace: "team", digest, size: 5 * size };
  expect((await staging.ask("POST", "/api/v1/uploads", { json: about })).status).toBe(413);
});
