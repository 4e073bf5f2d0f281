import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../host/node-host.ts";
import { openHttpServer, refuse } from "./serve.ts";

test("a client that reads only after it has sent a large body still gets the rejection", { tags: "long" }, async () => {
  const { clock } = nodeHost();
  const server = await openHttpServer({
    ...{ address: "127.0.0.1", port: 0, clock, onOverload: () => {}, healthPaths: [] },
    respond: (exchange) => refuse(exchange, clock, { status: 413, headers: {}, body: Buffer.from("too large") }),
  });
  onTestFinished(() => server.close(0));
  const socket = connect(server.port, "127.0.0.1").pause();
  onTestFinished(() => void socket.destroy());
  const body = Buffer.alloc(48 * 1024 * 1024);
  socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.write(body, (error) => (error == null ? resolve() : reject(error)));
  });
  let reply = "";
  for await (const piece of socket) reply += String(piece);
  expect(reply).toMatch(/^HTTP\/1\.1 413 /);
  expect(reply).toMatch(/too large$/);
});
