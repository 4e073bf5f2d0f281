import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { CommandResult } from "../../api/pod-sessions.ts";
import { channelProtocol } from "./channel-protocol.ts";
import { serveCommand } from "./command-channels.ts";

const chunk = Buffer.alloc(64 * 1024, 1);
const count = 320;

test("input waits for a command that has not started, and is then delivered", { tags: "long" }, async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  const client = new WebSocket(`ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const [[served]] = await Promise.all([once(server, "connection"), once(client, "open")]);
  let takenBytes = 0;
  let startCommand = (_: CommandResult) => {};
  const started = new Promise<CommandResult>((resolve) => {
    startCommand = resolve;
  });
  const streams = { stdin: true, stdout: false, stderr: false };
  void serveCommand({ kind: "command", streams, start: () => started }, served, channelProtocol("v4.channel.k8s.io"));
  for (let sent = 0; sent < count; sent += 1) client.send(Buffer.concat([Buffer.from([0]), chunk]));
  await expect.poll(() => served.isPaused).toBe(true);
  startCommand({
    command: {
      writeInput({ length }, onDrained) {
        takenBytes += length;
        onDrained();
      },
      ...{ endInput() {}, resize() {}, hangUp() {} },
      exited: new Promise(() => {}),
    },
  });
  await expect.poll(() => takenBytes, { timeout: 20_000 }).toBe(count * chunk.length);
});
