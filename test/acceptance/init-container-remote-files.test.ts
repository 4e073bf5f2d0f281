import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startProxy } from "../staging/forward-proxy.ts";
import { sendRange, serve } from "./file-server.ts";
import { expectFailure, localize, secret } from "./localize.ts";
import { remoteSource } from "./localize-sources.ts";

test("T62: remote files: redirects, wrong lengths, 500 and then 200, chunks, users and passwords", async () => {
  let failures = 0;
  const server = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://h");
    const responses: Readonly<Record<string, () => void>> = {
      "/query": () => response.end(request.url),
      "/redirect": () => response.writeHead(302, { location: "/query?from=redirect" }).end(),
      "/late": () => {
        failures += 1;
        if (failures === 1) response.writeHead(500).end();
        else if (failures === 2) response.writeHead(503, { "retry-after": "0" }).end();
        else response.end("late");
      },
      "/chunked": () => {
        response.write("chun");
        response.end("ked");
      },
      "/user": () => response.end(request.headers.authorization),
    };
    responses[pathname]?.();
  });
  const withUser = server.url.replace("http://", "http://me:pass%20word@");
  const run = localize([
    remoteSource(
      ...[`${server.url}/query?signature=s3cret`, `${server.url}/redirect`, `${server.url}/late`],
      ...[`${server.url}/chunked`, `${withUser}/user`],
    ),
  ]);
  const outcome = await run.program.ended;
  expect(outcome.exit).toBe(0);
  expect(outcome.stdout + outcome.stderr).not.toMatch(/s3cret|pass/);
  const read = (index: number) => readFileSync(join(run.directory, `files/f${index}`), "utf8");
  expect([0, 1, 2, 3, 4].map(read)).toEqual([
    ...["/query?signature=s3cret", "/query?from=redirect", "late", "chunked"],
    `Basic ${Buffer.from("me:pass word").toString("base64")}`,
  ]);
});

test("files are fetched through the environment's proxy, except from hosts in NO_PROXY", async () => {
  const server = await serve((_, response) => response.end("content"));
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy(Number(port));
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: "near.example" };
  const run = localize([remoteSource("http://far.example/a", `http://${hostname}:${port}/b`)], {}, env);
  expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect(proxy.requests).toEqual(["GET http://far.example/a undefined"]);
  const near = localize([remoteSource("http://near.example/c")], { timeoutSeconds: 1 }, env);
  await expectFailure(near, 7, { code: "network" });
  expect(proxy.requests).toHaveLength(1);
});

test("an invalid proxy address is reported at once", async () => {
  const run = localize([remoteSource("http://far.example/a")], {}, { HTTP_PROXY: "ftp://proxy" });
  await expectFailure(run, 2, { code: "badConfig", message: expect.stringContaining("HTTP_PROXY") });
});

test("T62: endless redirects fail at the limit, and a 404 fails at once", async () => {
  const server = await serve((request, response) => {
    if (request.url?.startsWith("/missing") === true) response.writeHead(404).end();
    else response.writeHead(302, { location: "/again" }).end();
  });
  await expectFailure(localize([remoteSource(`${server.url}/missing?key=s3cret`)]), 4, {
    code: "notFound",
    message: `${server.url}/missing: the server responded with 404`,
  });
  const forever = await expectFailure(localize([remoteSource(`${server.url}/again`)]), 7, { code: "network" });
  expect(forever.stderr).toContain("more than 5 redirects");
  expect(server.requests).toHaveLength(7);
});

test("T62: a short response is resumed if the file has not changed", async () => {
  let version = "1";
  const bodies: Readonly<Record<string, Uint8Array>> = {
    "1": Buffer.alloc(1000, "1"),
    "2": Buffer.alloc(900, "2"),
  };
  const server = await serve((request, response) => {
    const body = bodies[version] ?? Buffer.alloc(0);
    response.setHeader("etag", `"${version}"`);
    if (server.requests.length > 1) {
      if (request.headers["if-range"] === `"${version}"`) return sendRange(request, response, body);
      response.setHeader("content-length", body.length);
      return void response.end(body);
    }
    version = "2";
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, 500), () => setImmediate(() => response.destroy()));
  });
  const run = localize([remoteSource(`${server.url}/changes`)]);
  expect((await run.program.ended).exit).toBe(0);
  expect(server.requests[1]?.headers).toMatchObject({ range: "bytes=500-", "if-range": '"1"' });
  expect(readFileSync(join(run.directory, "files/f0"), "utf8")).toBe("2".repeat(900));
});

test.each([5, 20])("T63: concurrent downloads stay within the limit: %i", async (parallel) => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const server = await serve((_request, response) => {
    waiting.push(() => response.end("x"));
    most = Math.max(most, waiting.length);
    if (waiting.length === parallel) for (const respond of waiting.splice(0)) respond();
  });
  const uris = Array.from({ length: 20 }, (_, index) => `${server.url}/${index}`);
  const run = localize([remoteSource(...uris)], { parallel });
  expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect({ most, requests: server.requests.length }).toEqual({ most: parallel, requests: 20 });
});

test("T64: two files of one name are rejected before any download, and both are named", async () => {
  const server = await serve((_request, response) => void response.end("x"));
  const urls = ["/a/lib.jar?x=1", "/b/lib.jar"].map((path) => `${server.url}${path}`);
  const entries = urls.map(() => ({ kind: "jar" as const, name: "lib.jar" }));
  const run = localize([{ kind: "remote", urlsFile: secret(JSON.stringify(urls)), entries }]);
  const message = `${server.url}/a/lib.jar and ${server.url}/b/lib.jar would both be stored as jars/lib.jar`;
  await expectFailure(run, 2, { code: "badConfig", message, entry: "jars/lib.jar" });
  expect(server.requests).toHaveLength(0);
});

describe("a file with several URLs", () => {
  const standby = JSON.stringify({
    RemoteException: { exception: "StandbyException", message: "Operation category READ" },
  });

  test("is fetched from the active NameNode, also after a failover during the download", async () => {
    let active = "/nn2";
    const body = Buffer.alloc(1000, "x");
    const server = await serve((request, response) => {
      if (request.url !== active) return void response.writeHead(403).end(standby);
      if (active === "/nn1") return sendRange(request, response, body);
      active = "/nn1";
      response.writeHead(200, { "content-length": 1000, etag: '"1"' });
      response.write(body.subarray(0, 400), () => response.destroy());
    });
    const run = localize([remoteSource([`${server.url}/nn1`, `${server.url}/nn2`])]);
    expect(await run.program.ended).toMatchObject({ exit: 0 });
    expect(readFileSync(join(run.directory, "files/f0"))).toEqual(body);
  });

  test("fails as the active NameNode says, whatever the others say", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/nn2") response.writeHead(404).end();
      else response.writeHead(403).end(standby);
    });
    const urls = [`${server.url}/nn1`, `${server.url}/nn2`, `${server.url}/nn3`];
    await expectFailure(localize([remoteSource(urls)]), 4, {
      code: "notFound",
      message: expect.stringContaining("the server responded with 404"),
    });
  });
});

test.each(["{}", "[]", '["ftp://h/a"]', "[[]]", "[1]"])(
  "a list of URLs must have one for each entry: %s",
  async (urls) => {
    const entries = [{ kind: "file", name: "f" }] as const;
    const run = localize([{ kind: "remote", urlsFile: secret(urls), entries }]);
    await expectFailure(run, 2, { code: "badConfig", message: expect.stringContaining("must be a list of 1 items") });
  },
);
