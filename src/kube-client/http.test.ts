import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer as createSocketServer, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import type { ApiRequest } from "../kube/transport.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { httpTransport } from "./http.ts";
import { readText } from "./lines.ts";
import { isUnseen } from "./network-error.ts";
import { testCertificate, testKey } from "./test-certificate.ts";
import { testServers } from "./test-servers.ts";
import type { TlsSettings } from "./tls-settings.ts";

const { listen, closeLater, closeAll } = testServers();
afterEach(closeAll);

const clock = testClock(0);

async function transportTo(
  server: string,
  options: Partial<ConnectionOptions> & { trust?: Partial<TlsSettings> } = {},
) {
  const { trust, ...rest } = options;
  const tls = { trustsAll: false, ignoresHostName: false, ...trust };
  const made = await httpTransport({ server: new URL(server), tls, connectionTimeoutMs: 0, clock, ...rest });
  closeLater(made.close);
  return made.transport;
}

const get: ApiRequest = { method: "GET", path: "/api?x=1", headers: {} };

const echo: RequestListener = async (request, response) => {
  const body = await readText(request, 1e6);
  response.setHeader("x-kept", "yes").end(`${request.method} ${request.url} ${request.headers.host} ${body}`);
};

describe("plain HTTP", () => {
  test("keeps the server's path and reuses connections", async () => {
    const ports = new Set<number | undefined>();
    const port = await listen(
      createServer((request, response) => {
        ports.add(request.socket.remotePort);
        return echo(request, response);
      }),
    );
    const transport = await transportTo(`http://127.0.0.1:${port}/k8s/clusters/c/`);
    for (const body of ["one", "zwölf"]) {
      const response = await transport({ ...get, method: "POST", body });
      expect(response.status).toBe(200);
      expect(response.headers["x-kept"]).toBe("yes");
      expect(await readText(response.body, 1e6)).toBe(`POST /k8s/clusters/c/api?x=1 127.0.0.1:${port} ${body}`);
    }
    expect(ports.size).toBe(1);
  });

  test("does not send a request that was stopped while it waited for a connection", async () => {
    const paths: (string | undefined)[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const port = await listen(
      createServer(async (request, response) => {
        paths.push(request.url);
        await released;
        response.end();
      }),
    );
    const transport = await transportTo(`http://127.0.0.1:${port}`);
    const first = transport({ ...get, path: "/first" });
    // As of a process that was suspended: its listeners have not run yet.
    const signal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
    const second = transport({ ...get, path: "/second", signal });
    signal.aborted = true;
    release();
    await readText((await first).body, 1e6);
    await expect(second).rejects.toSatisfy(isUnseen);
    expect(paths).toEqual(["/first"]);
  });

  test("ends with its signal, before and during the response", async () => {
    const port = await listen(
      createServer((request, response) => {
        if (request.url === "/begin") response.write("begun");
      }),
    );
    const transport = await transportTo(`http://127.0.0.1:${port}`);
    const abort = new AbortController();
    const waiting = transport({ ...get, signal: abort.signal });
    const { body } = await clock.settle(transport({ ...get, path: "/begin", signal: abort.signal }));
    abort.abort();
    await expect(waiting).rejects.toSatisfy((error) => !isUnseen(error));
    await expect(readText(body, 1e6)).rejects.toThrow();
  });

  test("sends the complete URL to a proxy", async () => {
    const port = await listen(createServer(echo));
    const proxy = new URL(`http://u:p@127.0.0.1:${port}`);
    const response = await (await transportTo("http://api.test:8080/c", { proxy }))(get);
    expect(await readText(response.body, 1e6)).toBe("GET http://api.test:8080/c/api?x=1 api.test:8080 ");
  });
});

/** Starts a server that sends a text for each packet and can then close the connection. */
function answering(...texts: readonly (string | "hang up")[]): {
  readonly server: Server;
  readonly opened: () => number;
} {
  let count = 0;
  let opened = 0;
  const server = createSocketServer((socket) => {
    opened += 1;
    socket.on("error", () => {});
    socket.on("data", () => {
      const text = texts[Math.min(count, texts.length - 1)] ?? "";
      count += 1;
      if (text === "hang up") socket.destroy();
      else socket.write(text);
    });
  });
  return { server, opened: () => opened };
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe("connections", () => {
  test("that the server closes are not reused", async () => {
    const { server, opened } = answering(ok.replace("\r\n", "\r\nconnection: close\r\n"), ok);
    const transport = await transportTo(`http://127.0.0.1:${await listen(server)}`);
    for (let count = 0; count < 3; count += 1) expect(await readText((await transport(get)).body, 1e6)).toBe("ok");
    expect(opened()).toBe(2);
  });

  test("that send unrequested bytes are not reused", async () => {
    const { server, opened } = answering(`${ok}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`, ok);
    const transport = await transportTo(`http://127.0.0.1:${await listen(server)}`);
    for (let count = 0; count < 2; count += 1) expect(await readText((await transport(get)).body, 1e6)).toBe("ok");
    expect(opened()).toBe(2);
  });

  test.each([
    ["before the answer", ["hang up"], "ECONNRESET"],
    ["with what is not HTTP", ["SSH-2.0-x\r\n\r\n"], "ERR_HTTP_ANSWER"],
  ])("that end %s fail a request that was sent", async (_, texts, code) => {
    const transport = await transportTo(`http://127.0.0.1:${await listen(answering(...texts).server)}`);
    const error: unknown = await transport(get).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(isUnseen(error)).toBe(false);
  });

  test.each([
    ["break", "ECONNRESET", ""],
    ["continue with an invalid chunk", "ERR_HTTP_ANSWER", "no size\r\n"],
  ])("that %s during a response fail its body", async (_, code, rest) => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n";
    const port = await listen(createSocketServer((socket) => socket.end(`${head}${rest}`)));
    const { body } = await (await transportTo(`http://127.0.0.1:${port}`))(get);
    const reader = body[Symbol.asyncIterator]();
    expect(Buffer.from((await reader.next()).value ?? []).toString()).toBe("ok");
    await expect(reader.next()).rejects.toMatchObject({ code });
  });

  test("number one for a fast server, and more for a slow one", async () => {
    const responses: (() => void)[] = [];
    const ports = new Set<number | undefined>();
    let isQuick = true;
    const port = await listen(
      createServer((request, response) => {
        ports.add(request.socket.remotePort);
        if (isQuick) response.end("ok");
        else responses.push(() => response.end("late"));
      }),
    );
    const transport = await transportTo(`http://127.0.0.1:${port}`);
    const read = async () => readText((await transport(get)).body, 1e6);
    expect(await Promise.all([read(), read(), read()])).toEqual(["ok", "ok", "ok"]);
    expect(ports.size).toBe(1);
    isQuick = false;
    const late = Promise.all([read(), read(), read()]);
    while (responses.length < 3) await clock.advance(5);
    for (const respond of responses) respond();
    expect(await late).toEqual(["late", "late", "late"]);
    expect(ports.size).toBe(3);
  });

  test("that cannot be opened fail all waiting requests, which were never sent", async () => {
    const gone = createSocketServer();
    const port = await listen(gone);
    await new Promise((resolve) => gone.close(resolve));
    const transport = await transportTo(`http://127.0.0.1:${port}`);
    const errors = await Promise.all([1, 2, 3].map(() => transport(get).catch((reason: unknown) => reason)));
    for (const error of errors) {
      expect(error).toMatchObject({ code: "ECONNREFUSED" });
      expect(isUnseen(error)).toBe(true);
    }
  });

  test("reject a request with line breaks", async () => {
    const transport = await transportTo("http://127.0.0.1:1");
    await expect(transport({ ...get, path: "/a b" })).rejects.toThrow("does not allow");
    await expect(transport({ ...get, headers: { a: "b\r\nc: d" } })).rejects.toThrow("does not allow");
  });
});

describe("encrypted HTTP", () => {
  const server = () => listen(createSecureServer({ cert: testCertificate, key: testKey }, echo));
  const authority = testCertificate;

  test("requires a trusted authority and the right name", { tags: "long" }, async () => {
    const url = `https://127.0.0.1:${await server()}`;
    const code = (trust: Partial<TlsSettings>) =>
      transportTo(url, { trust })
        .then((transport) => transport(get))
        .then(
          ({ status }) => status,
          (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
        );
    expect(await code({})).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(await code({ authority })).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await code({ authority, serverName: "inside.test" })).toBe(200);
    expect(await code({ authority, ignoresHostName: true })).toBe(200);
    expect(await code({ trustsAll: true })).toBe(200);
  });

  test("goes through a proxy's tunnel, or reports why not", async () => {
    const port = await server();
    const requests: string[] = [];
    const proxies = createServer();
    proxies.on("connect", ({ url = "", headers }, socket) => {
      requests.push(`${url} ${headers["proxy-authorization"]}`);
      if (headers["proxy-authorization"] === undefined) return socket.end("HTTP/1.1 407 No\r\n\r\n");
      const onward = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      return onward.pipe(socket).pipe(onward);
    });
    const proxy = `127.0.0.1:${await listen(proxies)}`;
    const via = (user: string) =>
      transportTo("https://inside.test:6443", {
        proxy: new URL(`http://${user}${proxy}`),
        trust: { authority },
      });
    const response = await (await via("u:p@"))(get);
    expect(await readText(response.body, 1e6)).toBe("GET /api?x=1 inside.test:6443 ");
    await expect((await via(""))(get)).rejects.toThrow("responded with 407");
    expect(requests).toEqual(["inside.test:6443 Basic dTpw", "inside.test:6443 undefined"]);
  });

  test("distinguishes a failed handshake from a broken connection", async () => {
    const server = createSocketServer();
    const accepted = new Promise((resolve) => server.once("connection", resolve));
    const abort = new AbortController();
    const transport = await transportTo(`https://127.0.0.1:${await listen(server)}`);
    const failed = expect(transport({ ...get, signal: abort.signal })).rejects.toSatisfy(isUnseen);
    await accepted;
    abort.abort();
    await failed;
  });

  test("times out when the server does not respond to the handshake", async () => {
    const server = createSocketServer();
    const accepted = new Promise((resolve) => server.once("connection", resolve));
    const port = await listen(server);
    const transport = await transportTo(`https://127.0.0.1:${port}`, { connectionTimeoutMs: 500 });
    const failed = expect(transport(get)).rejects.toThrow("no connection after 500 ms");
    await accepted;
    await clock.advance(500);
    await failed;
  });

  test.each([
    ["certificate authority", { authority: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" }],
    ["client certificate", { certificate: "none" }],
    ["client key", { key: "none" }],
  ])("rejects a broken %s by name", async (what, trust) => {
    const url = `https://127.0.0.1:${await server()}`;
    await expect(transportTo(url, { trust }).then((transport) => transport(get))).rejects.toMatchObject({
      code: "SUBMIT_ERR_KUBE_AUTH_PEM",
      message: expect.stringMatching(`^An error has occurred. Cannot use the ${what}: .`),
    });
  });
});
