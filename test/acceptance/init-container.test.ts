import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { startProxy } from "../staging/forward-proxy.ts";
import { testWith } from "../test-with.ts";
import {
  bundleServer,
  digestOf,
  freePort,
  type Member,
  type RequestResponder,
  sendRange,
  serve,
  tarballOf,
} from "./file-server.ts";
import { expectFailure, localize, programOutput, type Run, reasonOf, secret, tree } from "./localize.ts";
import { type Outcome, root, start, temporaryDirectory } from "./programs.ts";

function bundle(server: string, tokenFile = secret()): LocalizeSource {
  return { kind: "bundle", server, bundleId: "b1", tokenFile };
}

function tarball(server: string, more: { readonly totalBytes?: number } = {}): LocalizeSource {
  return { kind: "tarball", server, resourceId: "r1", secretFile: secret(), entryKind: "jar", ...more };
}

function remote(...uris: readonly string[]): LocalizeSource {
  const entries = uris.map((uri, index) => ({ kind: "file" as const, name: `f${index}`, uri }));
  return { kind: "remote", entries };
}

const contents = {
  "jars/app.jar": Buffer.alloc(300_000, "jar"),
  "files/conf.json": "{}",
  "files/empty": "",
  "files/run.sh": "#!/bin/sh\n",
  "pyfiles/a.zip": "zip",
  "archives/env.tar.gz": "archive",
};

const placed = {
  "archives/": "755",
  "archives/env.tar.gz": "644",
  "files/": "755",
  "files/conf.json": "644",
  "files/empty": "644",
  "files/run.sh": "755",
  "jars/": "755",
  "jars/app.jar": "644",
  "pyfiles/": "755",
  "pyfiles/a.zip": "644",
};

test("T53: a bundle is placed readable for all users, and a second run changes nothing", async () => {
  const server = await serve(bundleServer(contents));
  const first = localize([bundle(server.url)]);
  const { exit, stdout, stderr } = await first.program.ended;
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout).toContain(`6 files of 300022 bytes are in ${first.directory} after `);
  expect(tree(first.directory)).toEqual(placed);
  for (const [path, content] of Object.entries(contents))
    expect(digestOf(readFileSync(join(first.directory, path)))).toBe(digestOf(content));
  const requests = server.requests.length;
  const times = Object.keys(contents).map((path) => statSync(join(first.directory, path)).mtimeMs);
  const second = localize([bundle(server.url)], { directory: first.directory });
  expect((await second.program.ended).exit).toBe(0);
  expect(server.requests.length - requests).toBe(1);
  expect(Object.keys(contents).map((path) => statSync(join(first.directory, path)).mtimeMs)).toEqual(times);
});

test("T53: modes do not depend on the umask", async () => {
  const server = await serve(bundleServer(contents));
  const { configPath, directory, program } = localize([bundle(server.url)]);
  await program.ended;
  const other = join(temporaryDirectory(), "deps");
  mkdirSync(other);
  writeFileSync(configPath, readFileSync(configPath, "utf8").replace(directory, other));
  const command = `umask 077; exec "${process.execPath}" "$0" "$1"`;
  const child = spawn("sh", ["-c", command, join(root, "dist/bin/spark-init-container.cjs"), configPath]);
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(tree(other)).toEqual(placed);
});

test("T54: a wrong token fails at once and is never shown", async () => {
  const server = await serve(bundleServer(contents));
  const run = localize([bundle(server.url, secret("wrong-token"))]);
  const message = `bundle b1 of ${server.url}: the server responded with 401`;
  const outcome = await expectFailure(run, 3, { code: "unauthorized", message });
  expect(outcome.stdout + outcome.stderr).not.toContain("wrong-token");
  expect(server.requests).toHaveLength(1);
});

test.each([404, 410])("T55: an unknown or expired bundle fails at once: %i", async (status) => {
  const server = await serve((_request, response) => {
    response.writeHead(status).end();
  });
  await expectFailure(localize([bundle(server.url)]), 4, { code: "notFound" });
  expect(server.requests).toHaveLength(1);
});

test("T56: waits for a server that starts later", async () => {
  const port = await freePort();
  const run = localize([bundle(`http://127.0.0.1:${port}`)]);
  await programOutput(run, "; retrying");
  await serve(bundleServer(contents), port);
  expect((await run.program.ended).exit).toBe(0);
  expect(tree(run.directory)).toEqual(placed);
});

test("T56: fails after the timeout when the server never starts", async () => {
  const port = await freePort();
  const run = localize([bundle(`http://127.0.0.1:${port}`)], { timeoutSeconds: 2 });
  const outcome = await expectFailure(run, 7, { code: "network" });
  expect(outcome.stderr).toContain("Timed out after 2 s; last error: bundle b1 of http://127.0.0.1:");
});

/** Cuts the connection `times` times, each after a quarter of the remaining bytes. */
function cutting(
  times: number,
  respond: RequestResponder,
  body: Uint8Array,
): { respond: RequestResponder; sent: () => number } {
  let cuts = 0;
  let sent = 0;
  return {
    sent: () => sent,
    respond(request, response) {
      if (!request.url?.includes("entries")) return respond(request, response);
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const rest = body.subarray(start);
      if (cuts === times) {
        sent += rest.length;
        return respond(request, response);
      }
      cuts += 1;
      const part = rest.subarray(0, Math.ceil(rest.length / 4));
      sent += part.length;
      response.writeHead(start === 0 ? 200 : 206, {
        "content-length": rest.length,
        ...(start === 0 ? {} : { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` }),
      });
      response.write(part, () => setImmediate(() => response.destroy()));
    },
  };
}

test("T57: three cut connections cost three requests and no byte is sent twice", async () => {
  const body = Buffer.alloc(4_000_000, "0123456789");
  const cut = cutting(3, bundleServer({ "jars/a.jar": body }), body);
  const server = await serve(cut.respond);
  const run = localize([bundle(server.url)]);
  expect((await run.program.ended).exit).toBe(0);
  expect(server.requests.map(({ headers }) => headers.range === undefined)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
  expect(cut.sent()).toBeLessThan(body.length * 1.1);
  expect(digestOf(readFileSync(join(run.directory, "jars/a.jar")))).toBe(digestOf(body));
});

test("T58: a wrong byte leaves no file", async () => {
  const right = bundleServer({ "jars/a.jar": "right" });
  const server = await serve((request, response) =>
    request.url?.includes("entries") ? void response.end("wrong") : right(request, response),
  );
  const reason = { code: "integrity", entry: "jars/a.jar" };
  const { stderr } = await expectFailure(localize([bundle(server.url)]), 5, reason);
  expect(stderr).toContain(`the digest ${digestOf("wrong")} instead of ${digestOf("right")}`);
});

function sendTarball(members: readonly Member[] | Uint8Array): RequestResponder {
  const body = members instanceof Uint8Array ? members : tarballOf(members);
  return (request, response) => {
    const isRight = request.url === "/api/v0/resources/r1" && request.headers.authorization === "good-token";
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/octet-stream" });
    response.end(isRight ? body : undefined);
  };
}

test("T53: a tarball of API v0 is unpacked, and a second run gives the same files", async () => {
  const members = [
    { name: "./", type: "5" },
    { name: "./a.jar", content: "a" },
    { name: "b.sh", mode: 0o755 },
  ];
  const server = await serve(sendTarball(members));
  const first = localize([tarball(server.url)]);
  expect(await first.program.ended).toMatchObject({ exit: 0, stderr: "" });
  const second = localize([tarball(server.url)], { directory: first.directory });
  expect(await second.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect(tree(first.directory)).toEqual({ "jars/": "755", "jars/a.jar": "644", "jars/b.sh": "755" });
  expect(readFileSync(join(first.directory, "jars/a.jar"), "utf8")).toBe("a");
});

test.each<[string, readonly Member[]]>([
  ["a name that leads out", [{ name: "../evil", content: "x" }]],
  ["an absolute name", [{ name: "/tmp/firesteel-evil", content: "x" }]],
  [
    "a symbolic link",
    [
      { name: "link", type: "2", linkName: "/etc/passwd" },
      { name: "link", content: "x" },
    ],
  ],
  ["a hard link", [{ name: "link", type: "1", linkName: "/etc/passwd" }]],
  ["a device", [{ name: "null", type: "3" }]],
  [
    "two of one name",
    [
      { name: "a", content: "1" },
      { name: "./a", content: "2" },
    ],
  ],
  ["a directory", [{ name: "folder/", type: "5" }]],
  ["a file in a directory", [{ name: "folder/file", content: "x" }]],
  ["a name of 300 bytes", [{ name: "././@LongLink", type: "L", content: "n".repeat(300) }, { name: "n" }]],
])("T59: a tarball with %s is refused, with all that is in it", async (_what, members) => {
  const server = await serve(sendTarball([{ name: "good.jar", content: "good" }, ...members]));
  await expectFailure(localize([tarball(server.url)]), 5, { code: "integrity" });
  expect(existsSync("/tmp/firesteel-evil")).toBe(false);
});

test("T60: unpacking stops at the declared size", async () => {
  const members = [
    { name: "a", content: Buffer.alloc(1000) },
    { name: "b", content: Buffer.alloc(100_000) },
  ];
  const server = await serve(sendTarball(members));
  const run = localize([tarball(server.url, { totalBytes: 2000 })]);
  await expectFailure(run, 5, { code: "integrity", entry: "b" });
  const exact = localize([tarball(server.url, { totalBytes: 100_000 })]);
  expect((await exact.program.ended).exit).toBe(0);
});

test("T60: a gzip bomb without a declared size is stopped", async () => {
  const server = await serve(sendTarball([{ name: "bomb", content: Buffer.alloc(400 * 1024 * 1024) }]));
  const { stderr } = await expectFailure(localize([tarball(server.url)]), 5, { code: "integrity" });
  expect(stderr).toContain("it unpacks to more than 200 times its size");
});

test.each<[string, (complete: Uint8Array) => Uint8Array]>([
  ["cut off", (complete) => complete.subarray(0, complete.length - 20)],
  ["with a wrong check sum", (complete) => Buffer.concat([complete.subarray(0, -8), Buffer.alloc(8, 1)])],
  ["none", () => Buffer.from("no gzip")],
])("T60: a gzip file that is %s is refused", async (_how, change) => {
  const server = await serve(sendTarball(change(tarballOf([{ name: "a", content: "x".repeat(5000) }]))));
  await expectFailure(localize([tarball(server.url)]), 5, { code: "integrity" });
});

/** Runs the program in a bubblewrap sandbox with the configuration of an earlier run. */
function sandboxed({ configPath }: Run, args: readonly string[]) {
  const program = join(root, "dist/bin/spark-init-container.cjs");
  const child = spawn("bwrap", [...args, process.execPath, program, configPath]);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise<Outcome>((resolve) =>
    child.on("close", (code) => resolve({ exit: code ?? "?", stdout: "", stderr })),
  );
}

testWith("bubblewrap")("T61: too little space is reported before and during the download", async () => {
  const big = Buffer.alloc(2_000_000);
  const server = await serve((request, response) =>
    request.url === "/unknown-size"
      ? void response.writeHead(200).end(big)
      : bundleServer({ "jars/a.jar": big })(request, response),
  );
  const small = (directory: string) => ["--dev-bind", "/", "/", "--size", "1048576", "--tmpfs", directory];
  const known = localize([bundle(server.url)]);
  await known.program.ended;
  const before = await sandboxed(known, small(known.directory));
  expect(before.exit).toBe(6);
  expect(reasonOf(before)).toMatchObject({ message: "The files need 2000000 bytes; 1048576 are available" });
  const unknown = localize([remote(`${server.url}/unknown-size`)]);
  await unknown.program.ended;
  const within = await sandboxed(unknown, small(unknown.directory));
  expect(within.exit).toBe(6);
  expect(reasonOf(within)).toMatchObject({ code: "noSpace", entry: "files/f0" });
});

testWith("bubblewrap")("T65: any user may run it on a root that is read-only", async () => {
  const server = await serve(bundleServer(contents));
  const run = localize([bundle(server.url)]);
  await run.program.ended;
  const inner = `${run.directory}/inner`;
  mkdirSync(inner);
  chmodSync(inner, 0o777);
  writeFileSync(run.configPath, readFileSync(run.configPath, "utf8").replace(run.directory, inner));
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--bind", inner, inner];
  const identity = ["--unshare-user", "--uid", "54321", "--gid", "54321", "--clearenv"];
  const outcome = await sandboxed(run, [...mounts, ...identity]);
  expect(outcome).toMatchObject({ exit: 0, stderr: "" });
  expect(tree(inner)).toEqual(placed);
});

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
    remote(
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
  const run = localize([remote("http://far.example/a", `http://${hostname}:${port}/b`)], {}, env);
  expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect(proxy.requests).toEqual(["GET http://far.example/a undefined"]);
  const near = localize([remote("http://near.example/c")], { timeoutSeconds: 1 }, env);
  await expectFailure(near, 7, { code: "network" });
  expect(proxy.requests).toHaveLength(1);
});

test("an invalid proxy address is reported at once", async () => {
  const run = localize([remote("http://far.example/a")], {}, { HTTP_PROXY: "ftp://proxy" });
  await expectFailure(run, 2, { code: "badConfig", message: expect.stringContaining("HTTP_PROXY") });
});

test("T62: endless redirects fail at the limit, and a 404 fails at once", async () => {
  const server = await serve((request, response) => {
    if (request.url?.startsWith("/missing") === true) response.writeHead(404).end();
    else response.writeHead(302, { location: "/again" }).end();
  });
  await expectFailure(localize([remote(`${server.url}/missing?key=s3cret`)]), 4, {
    code: "notFound",
    message: `${server.url}/missing: the server responded with 404`,
  });
  const forever = await expectFailure(localize([remote(`${server.url}/again`)]), 7, { code: "network" });
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
  const run = localize([remote(`${server.url}/changes`)]);
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
  const run = localize([remote(...uris)], { parallel });
  expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect({ most, requests: server.requests.length }).toEqual({ most: parallel, requests: 20 });
});

test("T64: two files of one name are rejected before any download, and both are named", async () => {
  const server = await serve((_request, response) => void response.end("x"));
  const entries = ["/a/lib.jar?x=1", "/b/lib.jar"].map((path) => ({
    kind: "jar" as const,
    name: "lib.jar",
    uri: `${server.url}${path}`,
  }));
  const run = localize([{ kind: "remote", entries }]);
  const message = `${server.url}/a/lib.jar and ${server.url}/b/lib.jar would both be stored as jars/lib.jar`;
  await expectFailure(run, 2, { code: "badConfig", message, entry: "jars/lib.jar" });
  expect(server.requests).toHaveLength(0);
});

test("T66: SIGTERM during a download leaves no files", async () => {
  const right = bundleServer(contents);
  let started = () => {};
  const beginning = new Promise<void>((resolve) => {
    started = resolve;
  });
  const server = await serve((request, response) => {
    if (!request.url?.endsWith("entries/0")) return right(request, response);
    response.writeHead(200, { "content-length": 300_000 });
    response.write(Buffer.alloc(100_000), started);
  });
  const run = localize([bundle(server.url)]);
  await beginning;
  run.program.child.kill("SIGTERM");
  const { exit, stderr } = await run.program.ended;
  expect({ exit, stderr }).toEqual({ exit: 143, stderr: expect.stringContaining('"code":"stopped"') });
  expect(Object.keys(tree(run.directory))).not.toContain(".incoming/");
}, 20_000);

test.each<[string, string, string]>([
  ["is not JSON", "no", "it is not JSON"],
  ["has unknown keys", '{"directory":"/d","sources":[],"sourcse":[]}', "sourcse is unknown"],
  [
    "names no secret file that exists",
    JSON.stringify({ directory: "/d", sources: [bundle("http://h", "/no/such/token")] }),
    "sources[0].tokenFile /no/such/token: it does not exist",
  ],
  [
    "names no directory",
    '{"directory":"/no/such/directory","sources":[]}',
    "directory: /no/such/directory is not a directory",
  ],
])("T67: a configuration that %s is rejected, with the key", async (_how, text, problem) => {
  const path = join(temporaryDirectory(), "config.json");
  writeFileSync(path, text);
  const outcome = await start("spark-init-container", [path]).ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toMatchObject({ code: "badConfig", message: expect.stringContaining(problem) });
});

test("T67: a missing configuration file is named", async () => {
  const outcome = await start("spark-init-container", ["/no/such/config.json"]).ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toEqual({ code: "badConfig", message: "/no/such/config.json does not exist" });
});

test("a target directory that is a symbolic link is rejected", async () => {
  const server = await serve(bundleServer(contents));
  const directory = temporaryDirectory();
  symlinkSync("/tmp", join(directory, "jars"));
  const run = localize([bundle(server.url)], { directory });
  const outcome = await run.program.ended;
  expect(outcome.exit).toBe(2);
  expect(reasonOf(outcome)).toMatchObject({ message: `${directory}/jars exists and is not a directory` });
});
