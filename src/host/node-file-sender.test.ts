import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadFileSender } from "./node-file-sender.ts";

const content = Buffer.from("0123456789");

test("sends parts of files to sockets in order with what is written, and reports the end of a file and a full socket", async () => {
  const sender = await loadFileSender();
  if (sender === undefined) throw new Error("the package koffi is not installed");
  const directory = mkdtempSync(join(tmpdir(), "file-sender-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "blocks");
  writeFileSync(file, content);
  const descriptor = openSync(file, "r");
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
  closeSync(descriptor);
  close();
});

async function connected(): Promise<{ socket: Socket; peer: Socket; close: () => void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const peer = connect(address.port, "127.0.0.1");
  return { socket: await accepted, peer, close: () => void server.close() };
}
