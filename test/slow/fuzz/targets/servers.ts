import { createServer, type Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { ApiRequest } from "../../../../src/kube/transport.ts";
import { createHttpsServer } from "../../../../src/local-cluster/serve/https-server.ts";
import { serveSession } from "../../../../src/local-cluster/serve/sessions/serve-session.ts";
import { serveSpdy } from "../../../../src/local-cluster/serve/spdy/connection.ts";
import { adminToken, type TestApi, testApi } from "../../../../src/local-cluster/test-api.ts";
import { packetsOf } from "../packets.ts";
import type { FuzzTarget } from "../target.ts";

/** Opening of a stream with headers that kubectl has compressed. */
const streamOpening = Buffer.from(
  "8003000100000058000000010000000000007" +
    "8f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45e01c60616061c0c0c0c0590489c64c50f2663400000000ffff",
  "hex",
);

/** Requests to servers: as data, and as the bytes of a connection. */
export const serverTargets: readonly FuzzTarget[] = [
  { name: "api-request", run: (input) => callApi(input) },
  { name: "api-connection", run: (input) => connectTo(apiServer(), "secureConnection", input) },
  {
    name: "web-socket",
    run: (input) =>
      connectTo(sessionServer(), "connection", Buffer.concat([input.subarray(0, 1), handshake, input.subarray(1)])),
  },
  {
    name: "spdy",
    seeds: [Buffer.concat([Buffer.of(0x38), streamOpening])],
    async run(input) {
      const [client, server] = duplexPair();
      serveSpdy(server, (stream) => stream.on("data", () => undefined));
      await send(client, input);
    },
  },
];

let api: TestApi | undefined;

/** Sends a request of the form `METHOD path`, headers, an empty line and a body. Nothing is stored. */
async function callApi(input: Buffer): Promise<void> {
  api ??= testApi();
  const text = input.toString();
  const [head = "", ...body] = text.split("\n\n");
  const [line = "", ...headers] = head.split("\n");
  const [verb = "GET", path = "/"] = line.split(" ");
  const method = methods.find((known) => known === verb) ?? "GET";
  const abort = new AbortController();
  const [route, query = ""] = path.split("?");
  const response = await api.api({
    ...{ method, path: `${route}?dryRun=All&${query}`, body: body.join("\n\n"), signal: abort.signal },
    headers: { authorization: `Bearer ${adminToken}`, ...Object.fromEntries(headers.map(headerOf)) },
  });
  if (response.headers["content-length"] !== undefined) for await (const _ of response.body);
  abort.abort();
}

const methods: readonly ApiRequest["method"][] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

let https: ReturnType<typeof createHttpsServer> | undefined;

function apiServer() {
  api ??= testApi();
  const { api: call, host } = api;
  https ??= createHttpsServer(call, { clock: host.clock, onOverload: () => undefined });
  return https;
}

const handshake = Buffer.from(
  [
    "GET / HTTP/1.1",
    ...["Host: h", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: v5.channel.k8s.io", "", ""],
  ].join("\r\n"),
);

let sessions: Server | undefined;

/** A server of commands whose input is discarded. */
function sessionServer(): Server {
  if (sessions !== undefined) return sessions;
  sessions = createServer();
  sessions.on("upgrade", (request, socket, head) => {
    const exited = new Promise<number>((done) => socket.on("close", () => done(0)));
    const command = {
      writeInput: (_: Uint8Array, done: () => void) => done(),
      endInput() {},
      resize() {},
      hangUp() {},
      exited,
    };
    const streams = { stdin: true, stdout: true, stderr: true };
    serveSession({ kind: "command", streams, start: async () => ({ command }) }, { request, socket, head });
  });
  return sessions;
}

/** Sends the bytes of a connection to a server without a socket, and waits until both sides are closed. */
async function connectTo(server: Server, event: string, input: Buffer): Promise<void> {
  const [client, remote] = duplexPair();
  server.emit(event, remote);
  await send(client, input);
  remote.destroy();
}

async function send(client: Duplex, input: Buffer): Promise<void> {
  client.on("error", () => undefined).resume();
  for (const packet of packetsOf(input).packets) client.write(packet);
  client.end();
  // All handlers of the embedded cluster run in a few rounds of the event loop.
  for (let round = 0; round < 10 && !client.closed; round += 1) await new Promise((done) => setImmediate(done));
  client.destroy();
}
