/** @module-tag long */

import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../host/node-host.ts";
import { testClock } from "../host/test-clock.ts";
import { testCertificate, testKey } from "../kube-client/test-certificate.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { type HttpExchange, openHttpServer, writePiece } from "./serve.ts";
import { openTestSocket, type TestSocket } from "./test-socket.ts";

const short = { headersMs: 100, handshakeMs: 100, keepAliveMs: 100 };
const get = (path = "/") => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

interface Served {
  readonly port: number;
  /** Numbers of each report of overload. */
  readonly overloads: readonly number[];
}

interface ServeSettings {
  readonly limits?: Partial<ConnectionLimits>;
  readonly isTls?: boolean;
  readonly clock?: Parameters<typeof openHttpServer>[0]["clock"];
  readonly respond?: (exchange: HttpExchange) => Promise<void>;
}

/** Opens a server that responds `ok`, and closes it with the test. */
async function serve({ limits = short, isTls = false, ...settings }: ServeSettings = {}): Promise<Served> {
  const overloads: number[] = [];
  const ok = async ({ response }: HttpExchange) => void response.end("ok");
  const server = await openHttpServer({
    ...{ address: "127.0.0.1", port: 0, tls: isTls ? { key: testKey, cert: testCertificate } : undefined, limits },
    ...{ clock: nodeHost().clock, respond: ok, ...settings, healthPaths: ["/healthz"] },
    onOverload: (count) => overloads.push(count),
  });
  onTestFinished(() => server.close(0));
  return { port: server.port, overloads };
}

async function openTls(port: number): Promise<TestSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const opened = await openTestSocket(socket);
  await new Promise<void>((resolve) => socket.once("secureConnect", () => resolve()));
  return opened;
}

const timedOut = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

describe.each([
  ["HTTP", false, openTestSocket],
  ["HTTPS", true, openTls],
] as const)("%s", (_protocol, isTls, open) => {
  test.each([
    ["nothing", ""],
    ["half a request line", "GET /x"],
    ["half of the headers", "GET / HTTP/1.1\r\nHost: x\r\nAuthoriza"],
  ])("a client that sends %s gets 408", async (_what, text) => {
    const { port } = await serve({ isTls });
    const { send, closed } = await open(port);
    if (text !== "") await send(text);
    expect(await closed).toBe(timedOut);
  });

  test("a client that sends its headers byte by byte gets 408", async () => {
    const { port } = await serve({ isTls });
    const { send, closed, socket } = await open(port);
    await send("GET / HTTP/1.1\r\nX: ");
    const timer = setInterval(() => socket.write("x"), 10);
    expect(await closed).toBe(timedOut);
    clearInterval(timer);
  });

  test("an idle connection is closed after its response", async () => {
    const { port } = await serve({ isTls });
    const { send, closed } = await open(port);
    await send(get());
    expect(await closed).toMatch(/^HTTP\/1\.1 200 OK\r\n.*ok$/s);
  });

  test("headers above the limit get 431 and bytes that are not HTTP get 400", async () => {
    const { port } = await serve({ isTls, limits: { maxHeaderBytes: 1000 } });
    for (const [text, status] of [
      [`GET / HTTP/1.1\r\nX: ${"x".repeat(2000)}\r\n\r\n`, "431 Request Header Fields Too Large"],
      ["\u0016\u0003\u0001 no HTTP\r\n\r\n", "400 Bad Request"],
    ]) {
      const { send, closed } = await open(port);
      await send(text ?? "");
      expect(await closed).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
  });

  test("responses and bodies that last longer than each limit stay open", async () => {
    let resume = () => {};
    const { port } = await serve({
      isTls,
      async respond({ request, response }) {
        response.write("first ");
        if (request.method === "GET") {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
        } else for await (const chunk of request) response.write(chunk);
        response.end(" last");
      },
    });
    const watch = await open(port);
    await watch.send(get());
    await watch.whenReceived(/first/);
    const upload = await open(port);
    await upload.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
    for (const byte of ["a", "b", "c"]) {
      // Each of these connections is open for the whole limit.
      await (await open(port)).closed;
      await upload.send(byte);
    }
    resume();
    await watch.whenReceived(/first .* last/s);
    await upload.whenReceived(/first .*a.*b.*c.* last/s);
  });

  test("at the limit, new connections replace idle ones", async () => {
    const { port, overloads } = await serve({ isTls, limits: { maxConnections: 20 } });
    const opened: TestSocket[] = [];
    for (let index = 0; index < 100; index += 1) {
      const connection = await open(port);
      opened.push(connection);
      await connection.send(get());
      await connection.whenReceived(/ok/);
    }
    await Promise.all(opened.slice(0, 80).map(({ closed }) => closed));
    for (const { send, whenReceived, received } of opened.slice(80)) {
      const before = received().length;
      await send(get());
      await whenReceived(/ok.*ok/s);
      expect(received().length).toBeGreaterThan(before);
    }
    expect(overloads).toEqual([1]);
  });

  test("when all connections are in use, health checks are served and other requests rejected", async () => {
    const responses: HttpExchange["response"][] = [];
    const { port, overloads } = await serve({
      isTls,
      limits: { maxConnections: 3 },
      async respond({ request, response }) {
        if (request.url?.startsWith("/healthz") === true) return void response.end("healthy");
        response.write("begun");
        responses.push(response);
      },
    });
    const watches = [await open(port), await open(port), await open(port)];
    for (const { send, whenReceived } of watches) {
      await send(get("/watch"));
      await whenReceived(/begun/);
    }
    for (const [path, expected] of [
      ["/x", /^HTTP\/1\.1 503 .*retry-after: 5\r\n.*The server has too many connections\.\n/s],
      ["/healthz?verbose", /^HTTP\/1\.1 200 .*healthy/s],
    ] as const) {
      const { send, whenReceived } = await open(port);
      await send(get(path));
      await whenReceived(expected);
    }
    expect(overloads).toEqual([1]);
    responses[0]?.end("end");
    await watches[0]?.whenReceived(/end/);
    const next = await open(port);
    await next.send(get("/y"));
    await next.whenReceived(/begun/);
    expect(watches[1]?.received()).toMatch(/begun/);
  });
});

test("connections beyond those for health checks are closed at once", async () => {
  const respond = async ({ response }: HttpExchange) => void response.write("begun");
  const { port, overloads } = await serve({ limits: { maxConnections: 5 }, respond });
  for (let index = 0; index < 5 + 16; index += 1) {
    const { send, whenReceived } = await openTestSocket(port);
    await send(get(index < 5 ? "/x" : "/healthz"));
    await whenReceived(/begun/);
  }
  expect(await (await openTestSocket(port)).closed).toBe("");
  expect(overloads).toEqual([1]);
});

test("a client that does not begin its TLS handshake is disconnected", async () => {
  const { port } = await serve({ isTls: true });
  expect(await (await openTestSocket(port)).closed).toBe("");
});

test("a client that goes on sending after its response is disconnected", async () => {
  const clock = testClock(0);
  const { port } = await serve({ clock, limits: {} });
  const { send, whenReceived, closed } = await openTestSocket(port);
  await send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  await whenReceived(/ok/);
  await send("x");
  await clock.advance(2000);
  expect(await closed).toMatch(/^HTTP\/1\.1 200 OK/);
});

test("malformed bytes after a request do not become part of its response", async () => {
  const { port } = await serve({ respond: async ({ response }) => void response.write("first") });
  const { send, whenReceived, closed } = await openTestSocket(port);
  await send(get());
  await whenReceived(/first/);
  await send("\u0000\r\n\r\n");
  expect(await closed).toMatch(/first\r\n$/);
});

test("a client that stops reading is disconnected", async () => {
  const clock = testClock(0);
  let ended = (_: boolean) => {};
  const isRead = new Promise<boolean>((resolve) => {
    ended = resolve;
  });
  let isWaiting = () => {};
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  const { port } = await serve({
    async respond({ response }) {
      const written = writePiece(response, Buffer.alloc(50_000_000), { clock, ms: 60_000 });
      isWaiting();
      ended(await written);
    },
  });
  const { socket, send } = await openTestSocket(port);
  socket.pause();
  await send(get());
  await waiting;
  await clock.advance(60_000);
  expect(await isRead).toBe(false);
});
