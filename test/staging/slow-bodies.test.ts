import { readdirSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  alone,
  contentOf,
  type Staging,
  someBytes,
  startStaging,
  until,
  usualForm,
} from "./staging-program.ts";

/** A connection whose answers are kept. */
function open(staging: Staging): {
  readonly socket: Socket;
  readonly programOutput: () => string;
  readonly closed: Promise<void>;
} {
  const socket = connect(staging.port, "127.0.0.1");
  let programOutput = "";
  socket.on("data", (chunk) => {
    programOutput += chunk;
  });
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  return { socket, programOutput: () => programOutput, closed };
}

const patch = (path: string, offset: number, length: number) =>
  `PATCH ${path} HTTP/1.1\r\nHost: x\r\nUpload-Offset: ${offset}\r\nContent-Length: ${length}\r\n\r\n`;

async function begin(staging: Staging, content: { digest: string; size: number }): Promise<string> {
  const { digest, size } = content;
  const begun = await staging.ask("POST", "/api/v1/uploads", { json: { namespace: "team", digest, size } });
  return `/api/v1/uploads/${begun.text("uploadId")}`;
}

test("T17 a client of which nothing comes is let go, and goes on where it was", async () => {
  const staging = await startStaging([...alone, "--body-idle", "300ms"]);
  const content = contentOf(someBytes(100_000));
  const path = await begin(staging, content);
  const { socket, programOutput, closed } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 40_000));
  await until(() => (programOutput().includes("\r\n\r\n") ? true : undefined));
  expect(programOutput()).toMatch(/^HTTP\/1\.1 408 /);
  expect(programOutput()).toContain('"code":"IDLE"');
  await closed;
  const head = await staging.ask("HEAD", path);
  expect(head.headers["upload-offset"]).toBe("40000");
  const rest = { body: content.bytes.subarray(40_000), headers: { "upload-offset": 40_000 } };
  expect((await staging.ask("PATCH", path, rest)).status).toBe(204);
  expect((await staging.ask("POST", `${path}:commit`)).status).toBe(201);
});

test("T17 a slow client is waited for as long as something comes", async () => {
  const staging = await startStaging([...alone, "--body-idle", "1s"]);
  const content = contentOf(someBytes(12));
  const path = await begin(staging, content);
  const { socket, programOutput } = open(staging);
  socket.write(patch(path, 0, content.size));
  for (let sent = 0; sent < content.size; sent += 1) {
    const begun = Date.now();
    await until(() => (Date.now() > begun + 200 ? true : undefined));
    socket.write(content.bytes.subarray(sent, sent + 1));
  }
  await until(() => (programOutput().includes("204") ? true : undefined));
  expect((await staging.ask("POST", `${path}:commit`)).status).toBe(201);
});

test("T25 who has lost his connection goes on over another, though the server has not noticed", async () => {
  const staging = await startStaging();
  const content = contentOf(someBytes(200_000));
  const path = await begin(staging, content);
  const { socket, closed } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 50_000));
  const offset = async () => Number((await staging.ask("HEAD", path)).headers["upload-offset"]);
  await until(async () => ((await offset()) === 50_000 ? true : undefined));
  const rest = { body: content.bytes.subarray(50_000), headers: { "upload-offset": 50_000 } };
  expect((await staging.ask("PATCH", path, rest)).status).toBe(204);
  await closed;
  expect((await staging.ask("POST", `${path}:commit`)).status).toBe(201);
});

test("T25 what had come when the server was killed is there again", async () => {
  const staging = await startStaging();
  const content = contentOf(someBytes(3_000_000));
  const path = await begin(staging, content);
  const { socket } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 2_000_000));
  await until(async () => {
    const { headers } = await staging.ask("HEAD", path);
    return Number(headers["upload-offset"]) > 1_000_000 ? true : undefined;
  });
  const next = await staging.restart("SIGKILL");
  const offset = Number((await next.ask("HEAD", path)).headers["upload-offset"]);
  expect(offset).toBeGreaterThan(1_000_000);
  const rest = { body: content.bytes.subarray(offset), headers: { "upload-offset": offset } };
  expect((await next.ask("PATCH", path, rest)).status).toBe(204);
  expect((await next.ask("POST", `${path}:commit`)).status).toBe(201);
});

/** The limit, a mebibyte beyond it, and what two sockets of a machine hold. */
const mostSentBytes = 2 * 1024 * 1024 + 16_000_000;

/** Writes no faster than the other side reads. @returns how much of it is on its way or there */
function writeInPieces(socket: Socket, body: Uint8Array): () => number {
  let taken = 0;
  const next = () => {
    if (taken >= body.length || socket.destroyed) return;
    const piece = body.subarray(taken, taken + 65_536);
    socket.write(piece, (error) => {
      if (error) return;
      taken += piece.length;
      next();
    });
  };
  next();
  return () => taken;
}

test("T14 who sends too much gets the answer while he still sends, and is let go", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const { body, headers } = usualForm(someBytes(30_000_000));
  const { socket, programOutput, closed } = open(staging);
  const head = (length: string) =>
    `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\n${length}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
  socket.write(head(`Content-Length: ${body.length}`));
  const sentBytes = writeInPieces(socket, body);
  await closed;
  expect(programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  expect(sentBytes()).toBeLessThan(mostSentBytes);

  const chunked = open(staging);
  chunked.socket.write(head("Transfer-Encoding: chunked"));
  chunked.socket.write(`${body.length.toString(16)}\r\n`);
  const sentInChunks = writeInPieces(chunked.socket, body);
  await chunked.closed;
  expect(chunked.programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  expect(sentInChunks()).toBeLessThan(mostSentBytes);
  const files = readdirSync(staging.store, { recursive: true, withFileTypes: true });
  const large = files.filter(
    (file) => file.isFile() && statSync(join(file.parentPath, file.name)).size > 100_000,
  );
  expect(large).toEqual([]);
  expect((await staging.ask("GET", "/api/v0/ping")).status).toBe(200);
});

test("leave to send a body is given when it will be read, and not to who is refused", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const { body, headers } = usualForm("content");
  const head = (length: number) =>
    `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
  const refused = open(staging);
  refused.socket.write(head(9_000_000));
  await refused.closed;
  expect(refused.programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  const taken = open(staging);
  taken.socket.write(head(body.length));
  await until(() => (taken.programOutput().startsWith("HTTP/1.1 100 Continue\r\n\r\n") ? true : undefined));
  taken.socket.write(body);
  await until(() => (taken.programOutput().includes("HTTP/1.1 200 OK") ? true : undefined));
});
