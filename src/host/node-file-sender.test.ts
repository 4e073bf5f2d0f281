import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FileSender } from "./file-sender.ts";
import { loadFileSender } from "./node-file-sender.ts";

const content = Buffer.from("0123456789");

test("sends parts of files to sockets in order with what is written, and reports the end of a file and a full socket", async () => {
  const { sender, descriptor } = await withFile(content);
  const { socket, peer, close } = await connected();
  const received: Buffer[] = [];
  peer.on("data", (piece: Buffer) => received.push(piece));
  await new Promise((resolve) => socket.write("header:", resolve));
  expect(sender.send({ descriptor, position: 2, sizeBytes: 5 }, socket)).toBe(5);
  expect(sender.sendBytes(Buffer.from("+"), socket)).toBe(1);
  expect(sender.send({ descriptor, position: 0, sizeBytes: 1 }, socket)).toBe(1);
  expect(sender.send({ descriptor, position: 10, sizeBytes: 5 }, socket)).toBe("end");
  await new Promise((resolve) => socket.write(":trailer", resolve));
  const ended = new Promise((resolve) => peer.once("end", resolve));
  socket.end();
  await ended;
  expect(Buffer.concat(received).toString()).toBe("header:23456+0:trailer");
  expect(sender.send({ descriptor, position: 0, sizeBytes: 5 }, socket)).toBe("full");
  expect(sender.sendBytes(Buffer.from("+"), socket)).toBe(0);
  close();
});

test("sends from a thread as from the event loop, and leaves no descriptor open", async () => {
  const { sender, descriptor } = await withFile(Buffer.alloc(8 * 1024 * 1024, "block "));
  const { socket, peer, close } = await connected();
  let receivedBytes = 0;
  peer.on("data", (piece: Buffer) => {
    receivedBytes += piece.length;
  });
  const sharedBefore = sharedSockets();
  const part = { descriptor, position: 8 * 1024 * 1024 - 1000, sizeBytes: 2000 };
  expect(await sender.sendInThread(part, socket)).toBe(1000);
  expect(await sender.sendInThread({ ...part, position: 8 * 1024 * 1024 }, socket)).toBe("end");
  expect(sharedSockets()).toEqual(sharedBefore);
  const ended = new Promise((resolve) => peer.once("end", resolve));
  socket.end();
  await ended;
  expect(receivedBytes).toBe(1000);
  expect(await sender.sendInThread(part, socket)).toBe("full");
  close();
});

test("a file that is being sent from a thread does not reach the connection that gets the descriptor of a closed one", async () => {
  const { sender, descriptor } = await withFile(Buffer.alloc(8 * 1024 * 1024, "block "));
  const [first, second] = [await connected(), await connected()];
  const received: Buffer[] = [];
  second.peer.on("data", (piece: Buffer) => received.push(piece));
  const sent = sender.sendInThread({ descriptor, position: 0, sizeBytes: 8 * 1024 * 1024 }, first.socket);
  const closed = new Promise((resolve) => first.socket.once("close", resolve));
  first.socket.destroy();
  await closed;
  const third = await connected();
  third.peer.on("data", (piece: Buffer) => received.push(piece));
  expect(await sent).not.toBe("unsupported");
  for (const { socket, peer } of [second, third]) {
    const ended = new Promise((resolve) => peer.once("end", resolve));
    socket.end("end");
    await ended;
  }
  expect(Buffer.concat(received).toString()).toBe("endend");
  for (const { close } of [first, second, third]) close();
});

test("a file that sendfile does not support is reported from a thread, too", async () => {
  const { sender } = await withFile(content);
  const { socket, peer, close } = await connected();
  const descriptor = openSync("/proc/self/mem", "r+");
  expect(await sender.sendInThread({ descriptor, position: 0, sizeBytes: 10 }, socket)).toBe("unsupported");
  closeSync(descriptor);
  const ended = new Promise((resolve) => peer.resume().once("end", resolve));
  socket.end();
  await ended;
  close();
});

async function withFile(bytes: Buffer): Promise<{ readonly sender: FileSender; readonly descriptor: number }> {
  const sender = await loadFileSender();
  if (sender === undefined) throw new Error("the package koffi is not installed");
  const directory = mkdtempSync(join(tmpdir(), "file-sender-"));
  const file = join(directory, "blocks");
  writeFileSync(file, bytes);
  const descriptor = openSync(file, "r");
  onTestFinished(() => {
    closeSync(descriptor);
    rmSync(directory, { recursive: true });
  });
  return { sender, descriptor };
}

/** Returns the sockets with several descriptors: a descriptor that is left open. Other sockets open and close meanwhile. */
function sharedSockets(): readonly string[] {
  const targets = readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return [];
    }
  });
  const sockets = targets.filter((target) => target.startsWith("socket:")).sort();
  return sockets.filter((target, index) => sockets.indexOf(target) !== index);
}

async function connected(): Promise<{ socket: Socket; peer: Socket; close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const peer = connect(address.port, "127.0.0.1");
  return { socket: await accepted, peer, close: () => void server.close() };
}
