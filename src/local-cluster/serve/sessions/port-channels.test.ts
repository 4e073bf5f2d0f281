import { once } from "node:events";
import { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { channelProtocol } from "./channel-protocol.ts";
import { servePorts } from "./port-channels.ts";

/** A connection that accepts no data until `takeAll` is called. */
class SlowConnection extends Duplex {
  readonly #held: (() => void)[] = [];
  #isHolding = true;
  takenBytes = 0;

  override _read(): void {}

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    this.takenBytes += chunk.length;
    if (this.#isHolding) this.#held.push(done);
    else done();
  }

  takeAll(): void {
    this.#isHolding = false;
    for (const done of this.#held.splice(0)) done();
  }
}

/** Creates both ends of a WebSocket and a connection to a port. */
async function forwarding() {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  const client = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const [[served]] = await Promise.all([once(server, "connection"), once(client, "open")]);
  const connection = new SlowConnection();
  const messages: Buffer[] = [];
  client.on("message", (data: Buffer) => messages.push(data));
  servePorts(
    { kind: "ports", ports: [7000], connect: async () => connection },
    served,
    channelProtocol("v4.channel.k8s.io"),
  );
  await expect.poll(() => messages.length).toBe(2);
  return { client, served, connection, messages };
}

const chunk = Buffer.alloc(64 * 1024, 1);
const count = 320;

test("waits for a port that reads nothing, and delivers everything", { tags: "long" }, async () => {
  const { client, served, connection } = await forwarding();
  for (let sent = 0; sent < count; sent += 1) client.send(Buffer.concat([Buffer.from([0]), chunk]));
  await expect.poll(() => served.isPaused).toBe(true);
  expect(connection.takenBytes + connection.writableLength).toBeLessThan(4 * 1024 * 1024);
  connection.takeAll();
  await expect.poll(() => connection.takenBytes, { timeout: 20_000 }).toBe(count * chunk.length);
});

test("waits for a client that reads nothing, and delivers everything", { tags: "long" }, async () => {
  const { client, connection, messages } = await forwarding();
  client.pause();
  for (let sent = 0; sent < count; sent += 1) connection.push(chunk);
  await expect.poll(() => connection.isPaused()).toBe(true);
  client.resume();
  const received = () => messages.slice(2).reduce((sum, { length }) => sum + length - 1, 0);
  await expect.poll(received, { timeout: 20_000 }).toBe(count * chunk.length);
});
