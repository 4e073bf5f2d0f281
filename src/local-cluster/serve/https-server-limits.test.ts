/** @module-tag long */

import { PassThrough } from "node:stream";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { Clock } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import { testClock } from "../../host/test-clock.ts";
import type { ConnectionLimits } from "../../http/connection-limits.ts";
import { openTestSocket, type TestSocket } from "../../http/test-socket.ts";
import { testCertificate, testKey } from "../../kube-client/test-certificate.ts";
import type { Api, ServedResponse } from "../api/server.ts";
import { createHttpsServer } from "./https-server.ts";
import { tryListen } from "./listen.ts";

const short = { headersMs: 100, handshakeMs: 100, keepAliveMs: 100 };

async function listen(api: Api, limits: Partial<ConnectionLimits> = short, clock: Clock = nodeHost().clock) {
  const overloads: number[] = [];
  const onOverload = (count: number) => overloads.push(count);
  const server = createHttpsServer(api, { clock, limits, onOverload });
  server.setSecureContext({ key: testKey, cert: testCertificate });
  const port = Number(await tryListen(server, { address: "127.0.0.1", port: 0 }));
  onTestFinished(() => void server.close().closeAllConnections());
  return { port, overloads };
}

async function open(port: number): Promise<TestSocket> {
  return openTestSocket(connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }));
}

/** Waits three times as long as a connection may be idle. */
async function outlastLimits(port: number): Promise<void> {
  for (let count = 0; count < 3; count += 1) await (await open(port)).closed;
}

/** A stream whose chunks a test provides. */
function feed() {
  const stream = new PassThrough();
  const response: ServedResponse = { status: 200, headers: { "content-type": "application/json" }, body: stream };
  return { stream, response };
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

function openWebSocket(port: number, protocols: string[], origin?: string) {
  const options = { rejectUnauthorized: false, ...(origin === undefined ? {} : { origin }) };
  const socket = new WebSocket(`wss://127.0.0.1:${port}/session`, protocols, options);
  const messages: string[] = [];
  const waiting: (() => void)[] = [];
  socket.on("message", (data) => {
    messages.push(String(data));
    waiting.splice(0).forEach((wake) => {
      wake();
    });
  });
  onTestFinished(() => socket.terminate());
  const next = async (pattern: RegExp) => {
    while (!messages.some((message) => pattern.test(message))) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve()).once("error", reject);
  });
  return { socket, next, opened };
}

const session = (found: ServedResponse["session"]): ServedResponse => {
  const response: ServedResponse = { status: 101, headers: {}, body: feed().stream };
  return found === undefined ? response : { ...response, session: found };
};

describe("connections that last longer than each limit stay open", () => {
  test("a watch and a followed log", async () => {
    const { stream, response } = feed();
    const { port } = await listen(async () => response);
    const { send, whenReceived } = await open(port);
    await send(request("/api/v1/pods?watch=true"));
    stream.write("first");
    await whenReceived(/first/);
    await outlastLimits(port);
    stream.write("second");
    await whenReceived(/second/);
  });

  test("a watch over a WebSocket", async () => {
    const { stream, response } = feed();
    const { port } = await listen(async () => response);
    const { next, opened } = openWebSocket(port, [], "https://127.0.0.1");
    await opened;
    await outlastLimits(port);
    stream.write("event");
    await next(/event/);
  });

  test("a command", async () => {
    const streams = { stdin: true, stdout: true, stderr: false };
    const { port } = await listen(async () =>
      session({
        ...{ kind: "command", streams },
        start: async (onOutput) => ({
          command: {
            writeInput: (chunk, onDrained) => {
              onOutput("stdout", chunk);
              onDrained();
            },
            ...{ endInput() {}, resize() {}, hangUp() {} },
            exited: new Promise(() => {}),
          },
        }),
      }),
    );
    const { socket, next, opened } = openWebSocket(port, ["v5.channel.k8s.io"]);
    await opened;
    await outlastLimits(port);
    socket.send("\0echo");
    await next(/^.echo$/s);
  });

  test("a forwarded port", async () => {
    const connect = async () => new PassThrough();
    const { port } = await listen(async () => session({ kind: "ports", ports: [80], connect }));
    const { socket, next, opened } = openWebSocket(port, ["v4.channel.k8s.io"]);
    await opened;
    await outlastLimits(port);
    socket.send("\0echo");
    await next(/echo/);
  });
});

test("sessions count as connections in use", async () => {
  const { port, overloads } = await listen(
    async ({ path }) => {
      const isSession = path === "/session";
      return isSession
        ? session({ kind: "ports", ports: [80], connect: async () => new PassThrough() })
        : feed().response;
    },
    { maxConnections: 2 },
  );
  const watch = await open(port);
  await watch.send(request("/watch"));
  await watch.whenReceived(/200 OK/);
  await openWebSocket(port, ["v4.channel.k8s.io"]).opened;
  await expect(openWebSocket(port, ["v4.channel.k8s.io"]).opened).rejects.toThrow("503");
  const rejected = await open(port);
  await rejected.send(request("/x"));
  expect(await rejected.closed).toMatch(/^HTTP\/1\.1 503 /);
  const checked = await open(port);
  await checked.send(request("/livez"));
  await checked.whenReceived(/200 OK/);
  expect(overloads).toEqual([1]);
});

describe("bodies", () => {
  const put = (length: number) => `PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
  const respond = async (status: number): Promise<ServedResponse> => ({
    ...{ status, headers: { "content-length": "0" } },
    body: PassThrough.from([]),
  });

  test("are not read if the API rejects the request by its headers", async () => {
    const { port } = await listen(() => respond(403), {});
    const { send, closed, whenReceived } = await open(port);
    await send(put(3_000_000));
    await whenReceived(/^HTTP\/1\.1 403 .*connection: close/s);
    await send("x".repeat(1_000_000));
    await closed;
  });

  test("leave the connection open if they are short", async () => {
    const { port } = await listen(() => respond(403), {});
    const { send, whenReceived } = await open(port);
    await send(`${put(3)}abc`);
    await whenReceived(/403 /);
    await send(`${put(3)}abc`);
    await whenReceived(/403 .*403 /s);
  });

  test("are read at once with permission to continue", async () => {
    let body = "";
    const { port } = await listen(async ({ readBody }) => {
      body = Buffer.from((await readBody?.()) ?? "").toString();
      return respond(200);
    }, {});
    const { send, whenReceived } = await open(port);
    await send(put(3).replace("Host", "Expect: 100-continue\r\nHost"));
    await whenReceived(/^HTTP\/1\.1 100 Continue/);
    await send("abc");
    await whenReceived(/200 OK/);
    expect(body).toBe("abc");
  });

  test.each([
    [put(4_000_000), 413],
    ["PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n".concat("x".repeat(3_500_000)), 413],
    [`${put(10)}ab`, 504],
  ])("that are too large or stall are rejected", async (text, status) => {
    const clock = testClock(0);
    let rejected: unknown;
    const { port } = await listen(
      async ({ readBody }) => {
        const read = readBody?.().catch((error: unknown) => error);
        if (status === 504) await clock.advance(30_000);
        rejected = await read;
        return respond(status);
      },
      {},
      clock,
    );
    const { send, whenReceived } = await open(port);
    await send(text);
    await whenReceived(new RegExp(`^HTTP/1.1 ${status} `));
    expect(rejected).toMatchObject({ status: { code: status } });
  });
});

test("a message of more than 32 MiB ends its session", async () => {
  const connect = async () => new PassThrough();
  const { port } = await listen(async () => session({ kind: "ports", ports: [80], connect }), {});
  const { socket, opened } = openWebSocket(port, ["v4.channel.k8s.io"]);
  await opened;
  socket.on("error", () => {});
  socket.send(Buffer.alloc(32 * 1024 * 1024 + 1));
  const code = await new Promise((resolve) => socket.once("close", resolve));
  expect([1006, 1009]).toContain(code);
});

test("half-sent requests and handshakes that do not end are closed", async () => {
  const { port } = await listen(async () => feed().response);
  expect(await (await openTestSocket(port)).closed).toBe("");
  const { send, closed } = await open(port);
  await send("GET / HTTP/1.1\r\nHost: ");
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
});
