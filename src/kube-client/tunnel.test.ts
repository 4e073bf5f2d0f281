import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer as createSocketServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import type { ApiRequest } from "../kube/transport.ts";
import { httpTransport } from "./http.ts";
import { readText } from "./lines.ts";
import { isConnectionLost, mayHaveArrived, networkError } from "./network-error.ts";
import { loopbackCertificate, testCertificate, testKey } from "./test-certificate.ts";
import { testServers } from "./test-servers.ts";

const { listen, closeLater, closeAll } = testServers();
afterEach(closeAll);

const clock = testClock(0);
const get: ApiRequest = { method: "GET", path: "/version", headers: {} };
const echo: RequestListener = ({ url, headers }, response) => {
  response.end(`${url} ${headers.host} ${headers["proxy-authorization"]}`);
};

async function sendRequest(server: string, proxy: string, connectionTimeoutMs = 0) {
  const made = await httpTransport({
    ...{ server: new URL(server), proxy: new URL(proxy), clock, connectionTimeoutMs },
    tls: { trustsAll: false, ignoresHostName: false, authority: testCertificate },
  });
  closeLater(made.close);
  return readText((await made.transport(get)).body, 1e6);
}

/** Returns the error that a caller would receive, and whether the request is retried. */
async function failure(server: string, proxy: string) {
  const reason: unknown = await sendRequest(server, proxy).catch((thrown: unknown) => thrown);
  const error = networkError(reason, server);
  expect(mayHaveArrived(error)).toBe(false);
  return {
    code: error.code,
    message: error.message,
    hint: error.issues[0].hint,
    retried: isConnectionLost(reason, "POST"),
  };
}

/** Starts a SOCKS proxy to a port that records its requested targets and replies with a domain as its own address. */
async function socksProxy(port: number, { user = "", refuse = 0 } = {}) {
  const targets: string[] = [];
  const proxy = createSocketServer((socket) => {
    const steps = user === "" ? ["greeting", "connect"] : ["greeting", "user", "connect"];
    socket.on("data", function take(chunk) {
      const step = steps.shift();
      if (step === "greeting") socket.write(Buffer.from([5, user === "" ? 0 : chunk.includes(2, 2) ? 2 : 255]));
      if (step === "user") socket.write(Buffer.from([1, chunk.toString("latin1").includes(user) ? 0 : 1]));
      if (step !== "connect") return;
      targets.push(chunk.subarray(3).toString("latin1"));
      // In pieces, as a network may deliver them.
      socket.write(Buffer.from([5, refuse, 0]));
      if (refuse !== 0) return void socket.end(Buffer.from([1, 0, 0, 0, 0, 0, 0]));
      socket.off("data", take);
      const onward = connect(port, "127.0.0.1", () => {
        socket.write(Buffer.from([3, 2, 97]));
        socket.write(Buffer.from([98, 0, 80]));
        onward.pipe(socket).pipe(onward);
      });
    });
  });
  return { targets, port: await listen(proxy) };
}

describe("a SOCKS proxy", () => {
  const secure = () => listen(createSecureServer({ cert: testCertificate, key: testKey }, echo));

  test("forwards encrypted and plain requests, and resolves names itself", { tags: "long" }, async () => {
    const encrypted = await socksProxy(await secure());
    expect(await sendRequest("https://inside.test:6443", `socks5://127.0.0.1:${encrypted.port}`)).toBe(
      "/version inside.test:6443 undefined",
    );
    expect(encrypted.targets).toEqual(["\u0003\u000binside.test\u0019\u002b"]);
    const plain = await socksProxy(await listen(createServer(echo)));
    expect(await sendRequest("http://10.1.2.3:80", `socks5h://127.0.0.1:${plain.port}`)).toBe(
      "/version 10.1.2.3 undefined",
    );
    expect(plain.targets).toEqual(["\u0001\u000a\u0001\u0002\u0003\u0000P"]);
  });

  test("accepts a user and a password", { tags: "long" }, async () => {
    const { port } = await socksProxy(await secure(), { user: "joe" });
    const server = "https://inside.test:6443";
    expect(await sendRequest(server, `socks5://joe:pw@127.0.0.1:${port}`)).toContain("/version");
    expect((await failure(server, `socks5://jim:s3cret@127.0.0.1:${port}`)).message).toBe(
      `An error has occurred. The proxy socks5://127.0.0.1:${port} did not connect to ${server}: it does not accept its user and password`,
    );
    expect((await failure(server, `socks5://127.0.0.1:${port}`)).message).toContain("requires a user");
    const { port: percentPort } = await socksProxy(await secure(), { user: "50%zz@" });
    expect(await sendRequest(server, `socks5://50%zz%40:100%@127.0.0.1:${percentPort}`)).toContain("/version");
    expect((await failure(server, `socks5://joe:${"p".repeat(256)}@127.0.0.1:${port}`)).message).toContain(
      "its user or password has more than 255 bytes",
    );
  });

  test.each([
    [5, "connection refused", true],
    [2, "not allowed", false],
  ])("that responds with %i is reported", async (refuse, message, retried) => {
    const { port } = await socksProxy(0, { refuse });
    const error = await failure("https://inside.test", `socks5://127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: "SUBMIT_ERR_KUBE_PROXY_FAILED", retried });
    expect(error.message).toContain(message);
  });

  test("that is not one, or closes the connection, is reported", async () => {
    const http = await listen(createServer(echo));
    expect((await failure("https://inside.test", `socks5://127.0.0.1:${http}`)).message).toContain(
      "does not speak SOCKS 5",
    );
    const mute = await listen(createSocketServer((socket) => socket.end()));
    expect((await failure("https://inside.test", `socks5://127.0.0.1:${mute}`)).message).toContain(
      "closed the connection",
    );
  });

  test("that does not respond times out", async () => {
    const proxyServer = createSocketServer();
    const accepted = new Promise((resolve) => proxyServer.once("connection", resolve));
    const port = await listen(proxyServer);
    const failed = expect(sendRequest("https://inside.test", `socks5://127.0.0.1:${port}`, 500)).rejects.toThrow(
      "no connection after 500 ms",
    );
    await accepted;
    await clock.advance(500);
    await failed;
  });
});

describe("an HTTP proxy", () => {
  test("is named instead of the server when it cannot be reached", async () => {
    for (const server of ["https://inside.test", "http://inside.test"]) {
      const error = await failure(server, "http://u:s3cret@127.0.0.1:1");
      expect(error).toMatchObject({ code: "SUBMIT_ERR_KUBE_PROXY_FAILED", retried: true });
      expect(error.message).toContain("The proxy http://127.0.0.1:1 did not connect to");
    }
  });

  test.each([
    [407, "PROXY_USERNAME", false],
    [403, "NO_PROXY", false],
    [503, "NO_PROXY", true],
  ])("that responds with %i is reported", async (status, advice, retried) => {
    const proxy = createServer().on("connect", (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const error = await failure("https://inside.test", `http://127.0.0.1:${await listen(proxy)}`);
    expect(error).toMatchObject({ code: "SUBMIT_ERR_KUBE_PROXY_FAILED", retried });
    expect(error.message).toContain(`it responded with ${status}`);
    expect(error.hint).toContain(advice);
  });

  test("that uses TLS must be trusted by this machine", async () => {
    const proxy = createSecureServer({ cert: loopbackCertificate, key: testKey });
    const url = `https://u:p@localhost:${await listen(proxy)}`;
    for (const server of ["http://inside.test", "https://inside.test"]) {
      expect((await failure(server, url)).message).toMatch(/self[- ]signed certificate/);
    }
  });
});
