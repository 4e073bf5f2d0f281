import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { testClock } from "../host/test-clock.ts";
import { kubeClient } from "./client.ts";
import { httpTransport } from "./http.ts";
import { readText } from "./lines.ts";
import { testServers } from "./test-servers.ts";

const { listen, closeLater, closeAll } = testServers();
afterEach(closeAll);

const clock = testClock(0);
const path = "/api/v1/namespaces/ns/pods/p/portforward?ports=7077";

/** A node behind an API; `serve` gets what a client sends, and how to answer on a channel. */
async function nodeWith(serve: (text: string, send: (channel: number, text: string) => void) => void) {
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v4.channel.k8s.io" });
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    // A node offers none of the API's representations.
    if (request.url !== path || request.headers.accept === "application/json")
      return void socket.end("HTTP/1.1 406 Not Acceptable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return sockets.handleUpgrade(request, socket, head, (client) => {
      const send = (channel: number, text: string) =>
        client.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text, "latin1")]));
      const port = String.fromCharCode(7077 & 0xff, 7077 >> 8);
      send(0, port);
      send(1, port);
      client.on("message", (data) => {
        if (Buffer.isBuffer(data) && data[0] === 0) serve(data.subarray(1).toString(), send);
        if (String(data).includes("bye")) client.terminate();
      });
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const tls = { trustsAll: false, ignoresHostName: false };
  const transport = await httpTransport({ server: new URL(url), tls, connectionTimeoutMs: 0, clock });
  closeLater(transport.close);
  return kubeClient({
    ...transport,
    server: url,
    clock,
    log: () => {},
    requestTimeoutMs: 0,
    retry: { retries: 0 },
  });
}

const call = { namespace: "ns", pod: "p", port: 7077 };

test("sends and receives bytes of a pod's port, even if the node sends first", async () => {
  const client = await nodeWith((text, send) => send(0, `<${text}>`));
  const stream = await client.connectToPod(call);
  stream.write("hello");
  stream.write("bye");
  expect(await readText(stream, 1e6)).toBe("<hello><bye>");
});

test("fails with the node's message when the port cannot be reached", async () => {
  const client = await nodeWith((_, send) => send(1, "dial tcp4 10.0.0.1:7077: connection refused\n"));
  const stream = await client.connectToPod(call);
  stream.write("hello");
  await expect(readText(stream, 1e6)).rejects.toThrow("dial tcp4 10.0.0.1:7077: connection refused");
});

test("reports a rejection of the API like every other one", async () => {
  const client = await nodeWith(() => {});
  await expect(client.connectToPod({ ...call, port: 1 })).rejects.toMatchObject({
    code: "SUBMIT_ERR_KUBE_REJECTED",
  });
});
