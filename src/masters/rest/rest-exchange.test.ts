import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type TestClock, testClock } from "../../host/test-clock.ts";
import { type ExchangeOptions, type RestRequest, responseTimeoutMs, sendOverNetwork } from "./rest-exchange.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a local server. Returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

interface Sent extends Partial<RestRequest> {
  readonly url: string;
  readonly clock?: TestClock;
  readonly options?: Partial<ExchangeOptions>;
}

const send = ({ clock = testClock(0), options, ...request }: Sent) =>
  sendOverNetwork({ method: "POST", body: "{}", ...request }, { clock, repeats: false, ...options });

describe("a request", () => {
  test("is sent as Spark's client sends it", async () => {
    const seen: unknown[] = [];
    const url = await serve(({ method, url: path, headers }, response) => {
      seen.push([method, path, headers["content-type"], headers["charset"], headers.authorization]);
      response.writeHead(400, { "content-type": "Application/JSON" }).end("{}");
    });
    const body = { status: 400, contentType: "application/json", text: "{}" };
    expect(await send({ url: `${url}/a`, token: "t" })).toEqual({ kind: "response", reply: body });
    const { body: _, ...bodiless } = { method: "POST" as const, url: `${url}/b`, body: undefined };
    await sendOverNetwork(bodiless, { clock: testClock(0), repeats: false });
    expect(seen).toEqual([
      ["POST", "/a", "application/json", "utf-8", "Bearer t"],
      ["POST", "/b", undefined, undefined, undefined],
    ]);
  });

  test("follows redirects as Java does, and sends the token to no other server", async () => {
    const seen: unknown[] = [];
    const respond: RequestListener = ({ method, url: path, headers }, response) => {
      seen.push([method, path, headers["content-type"], headers.authorization]);
      response.end("here");
    };
    const other = await serve(respond);
    const url = await serve((request, response) => {
      if (request.url === "/same") response.writeHead(307, { location: "/there" }).end();
      else if (request.url === "/other") response.writeHead(307, { location: `${other}/o` }).end();
      else if (request.url === "/found") response.writeHead(302, { location: `${other}/f` }).end();
      else if (request.url === "/secure") response.writeHead(307, { location: "https://127.0.0.1/" }).end();
      else respond(request, response);
    });
    for (const path of ["same", "other", "found"]) await send({ url: `${url}/${path}`, token: "t" });
    expect(seen).toEqual([
      ["POST", "/there", "application/json", "Bearer t"],
      ["POST", "/o", "application/json", undefined],
      ["GET", "/f", undefined, undefined],
    ]);
    expect(await send({ url: `${url}/secure` })).toMatchObject({ reply: { status: 307 } });
  });

  test("limits redirects", async () => {
    const url = await serve((_, response) => response.writeHead(307, { location: "/again" }).end());
    expect(await send({ url })).toEqual({
      kind: "failed",
      failure: { why: "disconnected", reason: "the server redirects more than 20 times" },
    });
  });

  test("is sent again after a lost connection only if Java does so", async () => {
    let calls = 0;
    const url = await serve(({ socket }) => {
      calls += 1;
      socket.destroy();
    });
    expect(await send({ url })).toMatchObject({ kind: "failed", failure: { why: "disconnected" } });
    expect(calls).toBe(1);
    await send({ url, options: { repeats: true } });
    expect(calls).toBe(3);
  });

  test("fails if the connection ends during the response", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
    expect(await send({ url })).toMatchObject({ kind: "failed", failure: { why: "disconnected" } });
  });

  test("without a response ends at its timeout", async () => {
    const clock = testClock(0);
    const url = await serve(() => void clock.advance(responseTimeoutMs));
    expect(await send({ url, clock, options: { repeats: true } })).toEqual({
      kind: "failed",
      failure: { why: "timedOut", reason: "no response within 10 s" },
    });
  });

  test("ends immediately when it is aborted", async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort());
    expect(await send({ url, options: { signal: controller.signal, repeats: true } })).toMatchObject({
      kind: "failed",
    });
  });

  test("limits the size of a response", async () => {
    const url = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    expect(await send({ url })).toMatchObject({
      failure: { why: "disconnected", reason: "the response exceeds 4194304 bytes" },
    });
  });

  test("to a closed port is refused", async () => {
    const url = await serve(() => {});
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await send({ url })).toMatchObject({ failure: { why: "refused" } });
  });
});
