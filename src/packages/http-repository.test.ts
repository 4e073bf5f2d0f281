import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { openFileServers } from "./http-exchange.ts";
import { httpRepository } from "./http-repository.ts";

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(
  respond: Responder,
  onConnect?: (request: IncomingMessage, socket: Duplex) => void,
): Promise<string> {
  const server: Server = createServer(respond);
  if (onConnect !== undefined) server.on("connect", onConnect);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

async function repositoryAt(url: string, authorization?: string, proxy?: URL) {
  const base = testHost();
  // Skip the delays between attempts.
  const host = { ...base, clock: { ...base.clock, sleep: async () => {} } };
  const servers = await openFileServers(host, async () => proxy);
  closers.push(servers.close);
  const show = () => ({ update: () => {}, end: () => {} });
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const repository = httpRepository(host, { name: "repo-1", url, authorization }, { servers, show, warn });
  return { host, repository, warnings };
}

/** Responds with files by path; a function responds itself. */
function serveFiles(files: Readonly<Record<string, string | Responder>>, seen: string[] = []): Responder {
  return (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
    const file = files[request.url ?? ""];
    if (typeof file === "function") return file(request, response);
    response.statusCode = file === undefined ? 404 : 200;
    response.end(request.method === "HEAD" ? undefined : (file ?? "nothing"));
  };
}

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

test("reads a file whose checksum matches the published one", async () => {
  const url = await serve(serveFiles({ "/m/a.pom": "text", "/m/a.pom.sha1": `${sha1("text")}  a.pom\n` }));
  const { repository } = await repositoryAt(`${url}/m`);
  expect(Buffer.from((await repository.read("a.pom")) ?? "").toString()).toBe("text");
  expect(await repository.read("b.pom")).toBeUndefined();
  expect(await repository.has("a.pom")).toBe(true);
  expect(await repository.has("b.pom")).toBe(false);
});

test("rejects a file with a wrong checksum after some attempts, and reports only the reason", async () => {
  const seen: string[] = [];
  const url = await serve(serveFiles({ "/a.jar": "bad", "/a.jar.sha1": sha1("good") }, seen));
  const { repository } = await repositoryAt(url, "Basic c2VjcmV0");
  await expect(repository.download("a.jar", "/tmp/a.jar")).rejects.toMatchObject({
    code: "SUBMIT_ERR_PACKAGE_REPOSITORY",
    kind: "unreachable",
    message: `Cannot download from the repository repo-1 (${url}/): a.jar does not match its published sha1.`,
  });
  expect(seen.filter((line) => line.startsWith("GET /a.jar "))).toHaveLength(4);
});

test("retries a busy server, but not one that rejects; skips the latter with one warning", async () => {
  let left = 2;
  const busy: Responder = (_, response) => {
    response.statusCode = left > 0 ? 503 : 200;
    left -= 1;
    response.end("text");
  };
  let refused = 0;
  const refuse: Responder = (_, response) => {
    refused += 1;
    response.statusCode = 401;
    response.end();
  };
  const { repository, warnings } = await repositoryAt(
    await serve(serveFiles({ "/busy.pom": busy, "/no.pom": refuse, "/no.jar": refuse })),
  );
  expect(Buffer.from((await repository.read("busy.pom")) ?? "").toString()).toBe("text");
  expect(await repository.read("no.pom")).toBeUndefined();
  expect(await repository.has("no.jar")).toBe(false);
  expect(refused).toBe(2);
  expect(warnings).toEqual([expect.stringContaining("rejects requests (401)")]);
});

test("skips a server with nothing but errors; one that responded before fails the request", async () => {
  const broken: Responder = (_, response) => response.writeHead(502).end();
  const never = await repositoryAt(await serve(broken));
  expect(await never.repository.read("a.pom")).toBeUndefined();
  expect(never.warnings).toEqual([expect.stringMatching(/^Skipping repository .* responded with 502/)]);
  const later = await repositoryAt(await serve(serveFiles({ "/a.pom": "text", "/b.pom": broken })));
  await later.repository.read("a.pom");
  await expect(later.repository.read("b.pom")).rejects.toMatchObject({
    code: "SUBMIT_ERR_PACKAGE_REPOSITORY",
    message: expect.stringContaining("responded with 502"),
  });
});

test("credentials go to the repository, and not where it redirects to", async () => {
  const seen: string[] = [];
  const other = await serve(serveFiles({ "/a.jar": "jar" }, seen));
  const redirect: Responder = (_, response) => response.writeHead(302, { location: `${other}/a.jar` }).end();
  const url = await serve(serveFiles({ "/a.jar": redirect }, seen));
  const { host, repository } = await repositoryAt(url, "Basic c2VjcmV0");
  host.files.makeDirectory("/jars");
  expect(await repository.download("a.jar", "/jars/a.jar")).toBe(true);
  expect(host.files.readText("/jars/a.jar")).toBe("jar");
  expect(seen.filter((line) => line.includes("a.jar "))).toEqual(["GET /a.jar Basic c2VjcmV0", "GET /a.jar -"]);
});

test("does not fetch a file again without disk space, and does not blame the repository", async () => {
  const seen: string[] = [];
  const { host, repository } = await repositoryAt(await serve(serveFiles({ "/a.jar": "jar" }, seen)));
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  Object.assign(host.files, {
    append: () => {
      throw full;
    },
  });
  await expect(repository.download("a.jar", "/a.jar")).rejects.toBe(full);
  expect(seen.filter((line) => line.startsWith("GET /a.jar "))).toHaveLength(1);
});

test("a file that breaks off is fetched again", async () => {
  let count = 0;
  const cut: Responder = (_, response) => {
    count += 1;
    response.setHeader("content-length", "8");
    if (count > 1) response.end("complete");
    else response.write("comp", () => response.destroy());
  };
  const { host, repository } = await repositoryAt(await serve(serveFiles({ "/a.jar": cut })));
  host.files.makeDirectory("/jars");
  expect(await repository.download("a.jar", "/jars/a.jar")).toBe(true);
  expect(host.files.readText("/jars/a.jar")).toBe("complete");
});

test("a file is saved although the server does not state its length", async () => {
  const chunked: Responder = (_, response) => {
    response.write("one ");
    response.end("two");
  };
  const { host, repository } = await repositoryAt(await serve(serveFiles({ "/a.jar": chunked })));
  host.files.makeDirectory("/jars");
  expect(await repository.download("a.jar", "/jars/a.jar")).toBe(true);
  expect(host.files.readText("/jars/a.jar")).toBe("one two");
});

const gibibyte = 1024 ** 3;
const withLength =
  (length: string | number): Responder =>
  (_, response) => {
    response.writeHead(200, { "content-length": length });
    response.write("part", () => response.destroy());
  };
const endless: Responder = (_, response) => {
  const send = () => void response.write("x".repeat(1000), (error) => error ?? setImmediate(send));
  send();
};

test.each<[string, Responder, number, string]>([
  ["with a Content-Length over 16 GiB", withLength(17 * gibibyte), 1024 * gibibyte, "a.jar is larger than 16 GiB"],
  [
    "with a Content-Length over the free space",
    withLength(5 * gibibyte),
    4 * gibibyte,
    "/jars/a.jar needs 5368709120 bytes or more, and its file system has 4294967296 free",
  ],
  ["that does not end", endless, 100_000, "and its file system has 100000 free"],
  ["that is shorter than its Content-Length of 5 GiB", withLength(5 * gibibyte), 1024 * gibibyte, "aborted"],
  ["with an invalid Content-Length", withLength("1e3"), 1024 * gibibyte, "Content-Length"],
])("rejects a file %s, and closes its connection", async (_, responder, freeBytes, message) => {
  const closed: Promise<unknown>[] = [];
  const respond: Responder = (request, response) => {
    closed.push(new Promise((resolve) => response.once("close", resolve)));
    responder(request, response);
  };
  const { host, repository } = await repositoryAt(await serve(serveFiles({ "/a.jar": respond })));
  Object.assign(host.files, { freeBytes: () => freeBytes });
  host.files.makeDirectory("/jars");
  await expect(repository.download("a.jar", "/jars/a.jar")).rejects.toThrow(message);
  await Promise.all(closed);
});

test("skips an unreachable repository with one warning", async () => {
  const { repository, warnings } = await repositoryAt("http://127.0.0.1:1");
  const both = [repository.read("a.pom"), repository.read("maven-metadata.xml")];
  expect(await Promise.all(both)).toEqual([undefined, undefined]);
  expect(await repository.has("a.jar")).toBe(false);
  expect(warnings).toEqual([
    expect.stringMatching(/^Skipping repository repo-1 \(http:\/\/127\.0\.0\.1:1\/\): .*ECONNREFUSED/),
  ]);
});

test("a proxy gets the complete URL, its own credentials and those of the repository", async () => {
  const seen: (string | undefined)[] = [];
  const proxy = await serve(({ url, headers }, response) => {
    seen.push(url, headers.host, headers.authorization, headers["proxy-authorization"]);
    response.end(url?.endsWith("/a.pom") ? "text" : undefined);
  });
  const url = new URL(proxy);
  [url.username, url.password] = ["u", "p%40"];
  const { repository } = await repositoryAt("http://repo.test/m", "Basic own", url);
  expect(Buffer.from((await repository.read("a.pom")) ?? "").toString()).toBe("text");
  const credentials = `Basic ${Buffer.from("u:p@").toString("base64")}`;
  expect(seen.slice(0, 4)).toEqual(["http://repo.test/m/a.pom", "repo.test", "Basic own", credentials]);
});

test("a repository behind a proxy that refuses, or that is not there, is left out, and the proxy is named", async () => {
  const refusing = await serve(
    () => {},
    (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
  );
  for (const proxy of [refusing, "http://127.0.0.1:1"]) {
    const url = new URL(proxy);
    url.username = "somebody";
    const { repository, warnings } = await repositoryAt("https://repo.test/m", undefined, url);
    expect(await repository.read("a.pom")).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(`the proxy ${proxy} failed: `)]);
    expect(warnings.join()).not.toContain("somebody");
  }
});
