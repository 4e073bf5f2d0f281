import { readdirSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alone, contentOf, defaultForm, type Staging, someBytes, startStaging, until } from "./staging-program.ts";

/** Opens a connection and records the responses. */
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

async function createUpload(staging: Staging, content: { digest: string; size: number }): Promise<string> {
  const { digest, size } = content;
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace: "team", digest, size },
  });
  return `/api/v1/uploads/${created.text("uploadId")}`;
}

test("T17 an idle client is disconnected and continues at its offset", async () => {
  const staging = await startStaging([...alone, "--body-idle", "300ms"]);
  const content = contentOf(someBytes(100_000));
  const path = await createUpload(staging, content);
  const { socket, programOutput, closed } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 40_000));
  await until(() => (programOutput().includes("\r\n\r\n") ? true : undefined));
  expect(programOutput()).toMatch(/^HTTP\/1\.1 408 /);
  expect(programOutput()).toContain('"code":"IDLE"');
  await closed;
  const head = await staging.sendRequest("HEAD", path);
  expect(head.headers["upload-offset"]).toBe("40000");
  const rest = { body: content.bytes.subarray(40_000), headers: { "upload-offset": 40_000 } };
  expect((await staging.sendRequest("PATCH", path, rest)).status).toBe(204);
  expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);
});

test("T17 a slow client stays connected while bytes arrive", async () => {
  const staging = await startStaging([...alone, "--body-idle", "1s"]);
  const content = contentOf(someBytes(1200));
  const path = await createUpload(staging, content);
  const { socket, programOutput } = open(staging);
  socket.write(patch(path, 0, content.size));
  for (let sent = 0; sent < content.size; sent += 100) {
    const startedMs = Date.now();
    await until(() => (Date.now() > startedMs + 200 ? true : undefined));
    socket.write(content.bytes.subarray(sent, sent + 100));
  }
  await until(() => (programOutput().includes("204") ? true : undefined));
  expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);
});

test("a client that sends one byte at a time is disconnected and continues at its offset", async () => {
  const staging = await startStaging([...alone, "--body-idle", "500ms"]);
  const content = contentOf(someBytes(100_000));
  const path = await createUpload(staging, content);
  const { socket, programOutput, closed } = open(staging);
  socket.write(patch(path, 0, content.size));
  let sent = 0;
  const timer = setInterval(() => socket.write(content.bytes.subarray(sent, ++sent)), 20);
  await closed;
  clearInterval(timer);
  expect(programOutput()).toMatch(/^HTTP\/1\.1 408 /);
  const offset = Number((await staging.sendRequest("HEAD", path)).headers["upload-offset"]);
  expect(offset).toBeGreaterThan(10);
  const rest = { body: content.bytes.subarray(offset), headers: { "upload-offset": offset } };
  expect((await staging.sendRequest("PATCH", path, rest)).status).toBe(204);
});

test("T25 a client continues over a new connection before the server notices the lost one", async () => {
  const staging = await startStaging();
  const content = contentOf(someBytes(200_000));
  const path = await createUpload(staging, content);
  const { socket, closed } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 50_000));
  const offset = async () => Number((await staging.sendRequest("HEAD", path)).headers["upload-offset"]);
  await until(async () => ((await offset()) === 50_000 ? true : undefined));
  const rest = { body: content.bytes.subarray(50_000), headers: { "upload-offset": 50_000 } };
  expect((await staging.sendRequest("PATCH", path, rest)).status).toBe(204);
  await closed;
  expect((await staging.sendRequest("POST", `${path}:commit`)).status).toBe(201);
});

test("T25 received bytes survive a killed server", async () => {
  const staging = await startStaging();
  const content = contentOf(someBytes(3_000_000));
  const path = await createUpload(staging, content);
  const { socket } = open(staging);
  socket.write(patch(path, 0, content.size));
  socket.write(content.bytes.subarray(0, 2_000_000));
  await until(async () => {
    const { headers } = await staging.sendRequest("HEAD", path);
    return Number(headers["upload-offset"]) > 1_000_000 ? true : undefined;
  });
  const next = await staging.restart("SIGKILL");
  const offset = Number((await next.sendRequest("HEAD", path)).headers["upload-offset"]);
  expect(offset).toBeGreaterThan(1_000_000);
  const rest = { body: content.bytes.subarray(offset), headers: { "upload-offset": offset } };
  expect((await next.sendRequest("PATCH", path, rest)).status).toBe(204);
  expect((await next.sendRequest("POST", `${path}:commit`)).status).toBe(201);
});

/** The limit, what is read of a rejected body, and the buffers of two local sockets. */
const maxSentBytes = 65 * 1024 * 1024 + 16_000_000;

/** Writes no faster than the server reads. Returns a function that returns the number of written bytes. */
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

test("T14 a client that sends too much gets the response while it sends and is disconnected", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const { body, headers } = defaultForm(someBytes(120_000_000));
  const { socket, programOutput, closed } = open(staging);
  const head = (length: string) =>
    `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\n${length}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
  socket.write(head(`Content-Length: ${body.length}`));
  const sentBytes = writeInPieces(socket, body);
  await closed;
  expect(programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  expect(sentBytes()).toBeLessThan(maxSentBytes);

  const chunked = open(staging);
  chunked.socket.write(head("Transfer-Encoding: chunked"));
  chunked.socket.write(`${body.length.toString(16)}\r\n`);
  const sentInChunks = writeInPieces(chunked.socket, body);
  await chunked.closed;
  expect(chunked.programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  expect(sentInChunks()).toBeLessThan(maxSentBytes);
  const files = readdirSync(staging.store, { recursive: true, withFileTypes: true });
  const large = files.filter((file) => file.isFile() && statSync(join(file.parentPath, file.name)).size > 100_000);
  expect(large).toEqual([]);
  expect((await staging.sendRequest("GET", "/api/v0/ping")).status).toBe(200);
});

test("100 Continue is sent when the body will be read, and not for a rejected request", async () => {
  const staging = await startStaging([...alone, "--max-blob-size", "1m"]);
  const { body, headers } = defaultForm("content");
  const head = (length: number) =>
    `POST /api/v0/resources HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\nContent-Type: ${headers["content-type"]}\r\n\r\n`;
  const rejected = open(staging);
  rejected.socket.write(head(9_000_000));
  await rejected.closed;
  expect(rejected.programOutput()).toMatch(/^HTTP\/1\.1 413 /);
  const taken = open(staging);
  taken.socket.write(head(body.length));
  await until(() => (taken.programOutput().startsWith("HTTP/1.1 100 Continue\r\n\r\n") ? true : undefined));
  taken.socket.write(body);
  await until(() => (taken.programOutput().includes("HTTP/1.1 200 OK") ? true : undefined));
});
