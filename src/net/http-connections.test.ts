import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { loopbackCertificate, testCertificate, testKey } from "../kube-client/test-certificate.ts";
import { httpConnections, readText } from "./http-connections.ts";

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<{ url: URL; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: new URL(`http://127.0.0.1:${port}/`), port };
}

function open(more: Partial<Parameters<typeof httpConnections>[0]> = {}) {
  const clock = testClock(0);
  const connections = httpConnections({ clock, ...more });
  closing.push(connections.close);
  return { clock, send: connections.send };
}

async function* endless(): AsyncGenerator<Uint8Array> {
  while (true) yield Buffer.alloc(65_536);
}

test("the name of this machine in pods means this machine here, too", async () => {
  const { port } = await serve((request, response) => response.end(request.headers.host));
  const response = await open().send({ method: "GET", url: new URL(`http://host.firesteel.internal:${port}/`) });
  expect(await readText(response)).toBe(`host.firesteel.internal:${port}`);
});

test("connections are used again, also after an unread response", async () => {
  const sockets = new Set<unknown>();
  const { url } = await serve((request, response) => {
    sockets.add(request.socket);
    response.setHeader("content-length", 4);
    response.end(request.method === "HEAD" ? undefined : "text");
  });
  const { send } = open();
  for (let count = 0; count < 5; count += 1) {
    expect(await readText(await send({ method: "GET", url }))).toBe("text");
    (await send({ method: "HEAD", url })).close();
  }
  // Node returns a connection to the pool only after its reader has continued.
  expect(sockets.size).toBeLessThan(3);
});

test("a server that does not respond within 60 s has failed", async () => {
  let requested = () => {};
  const received = new Promise<void>((resolve) => {
    requested = resolve;
  });
  const { url } = await serve(() => requested());
  const { clock, send } = open();
  const failing = expect(send({ method: "GET", url })).rejects.toThrow("no data for 60 s");
  await received;
  await clock.advance(60_000);
  await failing;
});

test("a body that stops for a minute has failed, however long it may take in all", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { "content-length": 10 });
    response.write("half ");
  });
  const { clock, send } = open();
  const { body } = await send({ method: "GET", url });
  const chunks = body[Symbol.asyncIterator]();
  expect(Buffer.from((await chunks.next()).value ?? "").toString()).toBe("half ");
  // Who reads slowly is not held against the server.
  await clock.advance(120_000);
  const failing = expect(chunks.next()).rejects.toThrow();
  await clock.advance(60_000);
  await failing;
});

test("a response before the end of the body stops the upload", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(401, { connection: "close" }).end("no");
  });
  const { send } = open();
  const rejected = await send({ method: "POST", url, body: endless() });
  expect(rejected.status).toBe(401);
  rejected.close();
});

test("a request that is stopped fails, and so does one whose body fails", async () => {
  const { url } = await serve(() => {});
  const { send } = open();
  const stop = new AbortController();
  const stopped = expect(send({ method: "GET", url, signal: stop.signal })).rejects.toThrow("aborted");
  stop.abort();
  await stopped;
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("x");
    throw new Error("the file went away");
  }
  await expect(send({ method: "POST", url, body: failing() })).rejects.toThrow("the file went away");
});

test("connections may be made in another way", async () => {
  const { port } = await serve((request, response) => void response.end(request.headers.host));
  const { send } = open({ connect: () => connect(port, "127.0.0.1") });
  expect(await readText(await send({ method: "GET", url: new URL("http://pod:7077/") }))).toBe("pod:7077");
  expect(await readText(await send({ method: "GET", url: new URL("http://pod:7077/") }))).toBe("pod:7077");
});

/** A server with TLS that says "safe"; gives its port. */
async function serveSafely(): Promise<number> {
  const server = createSecureServer({ cert: loopbackCertificate, key: testKey }, (_request, response) => {
    response.end("safe");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("TLS goes over connections that were made in another way, to a server that is who it should be", async () => {
  const port = await serveSafely();
  const tunnel = () => connect(port, "127.0.0.1");
  const { send } = open({ connect: tunnel, authority: loopbackCertificate });
  expect(await readText(await send({ method: "GET", url: new URL("https://localhost:1/") }))).toBe("safe");
  await expect(send({ method: "GET", url: new URL("https://pod:1/") })).rejects.toThrow("altnames");
  const other = open({ connect: tunnel, authority: testCertificate });
  await expect(other.send({ method: "GET", url: new URL("https://localhost:1/") })).rejects.toThrow("self-signed");
});

/** A proxy that lets everything through to one port. */
async function proxyTo(port: number) {
  const requested: string[] = [];
  const proxy = createServer(({ method, url, headers }, response) => {
    const { host, authorization = "" } = headers;
    requested.push(`${method} ${url} ${host} ${headers["proxy-authorization"]} ${authorization}`.trimEnd());
    response.end("forwarded");
  });
  proxy.on("connect", ({ url, headers }, socket) => {
    requested.push(`CONNECT ${url} ${headers["proxy-authorization"]}`);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    closing.push(() => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const url = `http://u:p@127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return { requested, findProxy: async () => new URL(url) };
}

const basic = `Basic ${Buffer.from("u:p").toString("base64")}`;

test("a proxy takes requests without encryption as they are, and tunnels others, whose connection is kept", async () => {
  const { requested, findProxy } = await proxyTo(await serveSafely());
  const { send } = open({ findProxy, authority: loopbackCertificate });
  const fetchText = async (url: string) => readText(await send({ method: "GET", url: new URL(url) }));
  expect(await fetchText("http://s3.test:9000/a%20b?c=d")).toBe("forwarded");
  expect(await fetchText("http://eve:s%40d@s3.test/")).toBe("forwarded");
  expect(await fetchText("https://localhost:1/")).toBe("safe");
  expect(await fetchText("https://localhost:1/")).toBe("safe");
  expect(requested).toEqual([
    `GET http://s3.test:9000/a%20b?c=d s3.test:9000 ${basic}`,
    `GET http://s3.test/ s3.test ${basic} Basic ${Buffer.from("eve:s@d").toString("base64")}`,
    `CONNECT localhost:1 ${basic}`,
  ]);
});

test("a proxy that refuses, or is not there, is named without its user", async () => {
  const refusing = createServer().on("connect", (_, socket) => {
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  closing.push(() => refusing.close());
  const address = refusing.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const refused = open({ findProxy: async () => new URL(`http://u:p@127.0.0.1:${port}`) });
  const secure = { method: "GET", url: new URL("https://s3.test/") };
  await expect(refused.send(secure)).rejects.toMatchObject({
    message: `the proxy http://127.0.0.1:${port} failed: it responded with 407`,
    code: "EPROXY",
  });
  const absent = open({ findProxy: async () => new URL("http://u:p@127.0.0.1:1") });
  for (const target of [secure, { method: "GET", url: new URL("http://s3.test/") }])
    await expect(absent.send(target)).rejects.toMatchObject({
      message: expect.stringMatching(/^the proxy http:\/\/127\.0\.0\.1:1 failed: .*ECONNREFUSED/),
      code: "ECONNREFUSED",
    });
});

test("a response that is too long is rejected", async () => {
  const { url } = await serve((_request, response) => void response.end("x".repeat(1000)));
  await expect(readText(await open().send({ method: "GET", url }), 999)).rejects.toThrow("longer than 999");
});

test("a text whose bytes arrive one by one has failed after ten minutes", async () => {
  let sendByte = () => {};
  const { url } = await serve((_request, response) => {
    sendByte = () => response.write("x");
    response.writeHead(200);
    sendByte();
  });
  const { clock, send } = open();
  const response = await send({ method: "GET", url });
  let received = () => {};
  async function* observed() {
    for await (const chunk of response.body) {
      yield chunk;
      received();
    }
  }
  const nextByte = () => new Promise<void>((resolve) => (received = resolve));
  let byte = nextByte();
  const failing = expect(readText({ ...response, body: observed() })).rejects.toThrow();
  for (let minute = 0; minute < 12; minute += 1) {
    await byte;
    byte = nextByte();
    await clock.advance(50_000);
    sendByte();
  }
  await failing;
});
