import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect } from "vitest";
import { defaultOwner, entryOf, readResponse, receiptOf, type Staging, someBytes } from "../staging/staging-program.ts";

const mebibyte = 1024 * 1024;
const size = 1024 * mebibyte;
const piece = someBytes(mebibyte);

function* gibibyte(): Generator<Buffer> {
  for (let sent = 0; sent < size; sent += piece.length) yield piece;
}

/** Stages 1 GiB, downloads it, and expects that the server used less than 256 MiB of memory. */
export async function expectGibibyteInLittleMemory(staging: Staging): Promise<void> {
  const hash = createHash("sha256");
  for (const bytes of gibibyte()) hash.update(bytes);
  const digest = `sha256:${hash.digest("hex")}` as const;
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace: "team", digest, size },
  });
  const path = `/api/v1/uploads/${created.text("uploadId")}`;
  const where = { host: "127.0.0.1", port: staging.port, agent: false };
  const call = request({
    ...where,
    method: "PATCH",
    path,
    headers: { "upload-offset": 0, "content-length": size },
  });
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    call.on("response", resolve).on("error", reject);
  });
  await pipeline(Readable.from(gibibyte()), call);
  expect((await readResponse(await responded)).status).toBe(204);
  expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);
  const json = { owner: defaultOwner, entries: [entryOf("a.jar", { digest, size })] };
  const bundle = receiptOf(await staging.sendRequest("POST", "/api/v1/bundles", { json }));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ ...where, path: `${bundle.path}/entries/0`, headers: bundle.reader }, resolve)
      .on("error", reject)
      .end();
  });
  const got = createHash("sha256");
  for await (const chunk of response) got.update(chunk);
  expect(`sha256:${got.digest("hex")}`).toBe(digest);
  const status = readFileSync(`/proc/${staging.program.child.pid}/status`, "utf8");
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  process.stdout.write(`Peak memory: ${Math.round(peak / mebibyte)} MiB\n`);
  expect(peak).toBeLessThan(256 * mebibyte);
}
