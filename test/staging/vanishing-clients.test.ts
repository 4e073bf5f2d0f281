import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { testWith } from "../test-with.ts";
import { contentOf, defaultForm, type Staging, someBytes, stageBlob, startStaging, until } from "./staging-program.ts";

const count = 200;
const size = 200_000;

/** Counts the sockets and the files of the store that the server has open. */
function countOpen({ program: { child } }: Staging): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

const maxMemoryKiB = ({ program: { child } }: Staging) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);

/** Starts a request and sends a part of its body. */
async function startRequest({ port }: Staging, head: string, body: Uint8Array): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  await new Promise<void>((resolve) => socket.write(body, () => resolve()));
  return socket;
}

async function createUpload(staging: Staging, seed: number): Promise<string> {
  const { digest } = contentOf(someBytes(size, seed));
  const json = { namespace: "team", digest, size };
  return `/api/v1/uploads/${(await staging.sendRequest("POST", "/api/v1/uploads", { json })).text("uploadId")}`;
}

testWith("Linux")("200 clients that vanish, and uploads that are deleted meanwhile, leave nothing", async () => {
  const staging = await startStaging();
  await stageBlob(staging, someBytes(10));
  const before = countOpen(staging);
  const form = defaultForm(someBytes(size));
  const post = `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${form.body.length}\r\nContent-Type: ${form.headers["content-type"]}\r\n\r\n`;
  const seeds = Array.from({ length: count }, (_, index) => index + 2);
  const sockets = await Promise.all(
    seeds.map(async (seed) => {
      if (seed % 2 === 0) return startRequest(staging, post, form.body.subarray(0, size / 2));
      const path = await createUpload(staging, seed);
      const patch = `PATCH ${path} HTTP/1.1\r\nHost: x\r\nUpload-Offset: 0\r\nContent-Length: ${size}\r\n\r\n`;
      const socket = await startRequest(staging, patch, someBytes(size / 2, seed));
      // Delete every second upload while it is being written; the others lose their client first.
      if (seed % 4 === 3) socket.resetAndDestroy();
      await staging.sendRequest("DELETE", path);
      return socket;
    }),
  );
  for (const [index, socket] of sockets.entries()) index % 3 === 0 ? socket.end() : socket.resetAndDestroy();
  await until(() => (readdirSync(`${staging.store}/uploads`).length === 0 ? true : undefined));
  await until(() => (countOpen(staging) <= before ? true : undefined));
  expect(maxMemoryKiB(staging)).toBeLessThan(300 * 1024);
  await stageBlob(staging, someBytes(size, 1000));
  expect((await staging.sendRequest("GET", "/readyz")).status).toBe(200);
});

testWith("Linux")("200 parallel uploads are complete and need little memory", async () => {
  const staging = await startStaging();
  await stageBlob(staging, someBytes(10));
  const before = countOpen(staging);
  const seeds = Array.from({ length: count }, (_, index) => index + 2);
  await Promise.all(seeds.map((seed) => stageBlob(staging, someBytes(size, seed))));
  expect(readdirSync(`${staging.store}/uploads`)).toEqual([]);
  await until(() => (countOpen(staging) <= before ? true : undefined));
  expect(maxMemoryKiB(staging)).toBeLessThan(300 * 1024);
});
