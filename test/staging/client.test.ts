import { mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { loopbackCertificate, testCertificate, testKey } from "../../src/kube-client/test-certificate.ts";
import { digestCache } from "../../src/staging-client/digest-cache.ts";
import {
  type StagedFile,
  type StagingProgress,
  type StagingServer,
  stagingClient,
} from "../../src/staging-client/staging-client.ts";
import { openFailingProxy } from "../acceptance/failing-proxy.ts";
import { freePort, serve, tarOf } from "../acceptance/file-server.ts";
import { localize, secret, tree } from "../acceptance/localize.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { contentOf, someBytes, startStaging, usualForm } from "./staging-program.ts";

const owner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" } as const;
const host = nodeHost();

/** A client of its own, with a cache of its own unless told. */
function client(url: string, more: Partial<StagingServer> = {}) {
  return stagingClient(host, { url, cacheFolder: temporaryDirectory(), patienceMs: 5000, ...more });
}

/** Files of this machine with these contents, as entries. */
async function staged(
  contents: Readonly<Record<string, Uint8Array | string>>,
): Promise<readonly StagedFile[]> {
  const directory = temporaryDirectory();
  const digests = digestCache(host, join(directory, "cache"));
  return Promise.all(
    Object.entries(contents).map(async ([name, content]) => {
      const path = join(directory, name);
      writeFileSync(path, content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
      return {
        kind: name.endsWith(".jar") ? "jar" : "file",
        name,
        path,
        ...(await digests.digestOf(path)),
      } as const;
    }),
  );
}

const big = someBytes(20_000_000);

describe("with the staging server", () => {
  test("what is staged is brought by the init container, and a second submission sends nothing (T26, T53)", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, []);
    const files = await staged({
      "app.jar": big,
      "run.sh": "#!/bin/sh\n",
      empty: "",
      "same.jar": "#!/bin/sh\n",
    });
    const told: StagingProgress[] = [];
    const submitter = client(`http://127.0.0.1:${port}`);
    const receipt = await submitter.stage({ files, owner, onProgress: (progress) => told.push(progress) });
    expect([told[0], told.at(-1)]).toEqual([
      { bytes: 0, totalBytes: 20_000_010 },
      { bytes: 20_000_010, totalBytes: 20_000_010 },
    ]);
    const first = sentBytes();
    const again = await submitter.stage({ files, owner });
    expect(sentBytes() - first).toBeLessThan(64 * 1024);
    expect(again.bundleId).not.toBe(receipt.bundleId);
    const server = `http://127.0.0.1:${staging.port}`;
    const { bundleId, token } = receipt;
    const run = localize([{ kind: "bundle", server, bundleId, tokenFile: secret(token) }]);
    const outcome = await run.program.ended;
    expect(outcome).toMatchObject({ exit: 0, stderr: "" });
    expect(tree(run.directory)).toEqual({
      "files/": "755",
      "files/empty": "644",
      "files/run.sh": "755",
      "jars/": "755",
      "jars/app.jar": "644",
      "jars/same.jar": "644",
    });
    expect(readFileSync(join(run.directory, "jars/app.jar")).equals(big)).toBe(true);
    expect(await submitter.deleteBundle(bundleId)).toBe(true);
    const late = localize([{ kind: "bundle", server, bundleId, tokenFile: secret(token) }]);
    expect((await late.program.ended).exit).toBe(4);
    const wrong = localize([{ kind: "bundle", server, bundleId: again.bundleId, tokenFile: secret(token) }]);
    expect([3, 4]).toContain((await wrong.program.ended).exit);
  });

  test("resources of API v0 are unpacked by the init container", async () => {
    const staging = await startStaging();
    const form = usualForm(
      gzipSync(
        tarOf([
          { name: "a.jar", content: "a" },
          { name: "b.jar", content: "b" },
        ]),
      ),
    );
    const made = await staging.ask("POST", "/api/v0/resources", form);
    const server = `http://127.0.0.1:${staging.port}`;
    const [resourceId, token] = [made.text("resourceId"), made.text("resourceSecret")];
    const run = localize([
      { kind: "tarball", server, resourceId, secretFile: secret(token), entryKind: "jar", totalBytes: 2 },
    ]);
    expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
    expect(Object.keys(tree(run.directory))).toEqual(["jars/", "jars/a.jar", "jars/b.jar"]);
  });

  test("an upload that is cut goes on where the server has it", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, [3_000_000, 5_000_000, 1_000_000]);
    const files = await staged({ "app.jar": big });
    await client(`http://127.0.0.1:${port}`).stage({ files, owner });
    expect(sentBytes()).toBeGreaterThan(big.length);
    // Each cut loses what the systems on the way had in their buffers, and nothing that had come.
    const { body } = await staging.ask("GET", "/metrics");
    const received = Number(/^firesteel_staging_received_bytes_total (.*)$/m.exec(body.toString())?.[1]);
    expect(received - big.length).toBeGreaterThanOrEqual(0);
    expect(received - big.length).toBeLessThan(10_000);
  });

  test("T77 a submission that was given up is gone on with by the next one", async () => {
    const staging = await startStaging();
    const url = `http://127.0.0.1:${staging.port}`;
    const files = await staged({ "app.jar": big });
    const cacheFolder = temporaryDirectory();
    const giveUp = new AbortController();
    const onProgress = ({ bytes }: StagingProgress) => {
      if (bytes > 17_000_000) giveUp.abort(new Error("given up"));
    };
    const first = client(url, { cacheFolder, signal: giveUp.signal });
    await expect(first.stage({ files, owner, onProgress })).rejects.toThrow("given up");
    first.close();
    const told: StagingProgress[] = [];
    const second = client(url, { cacheFolder });
    await second.stage({ files, owner, onProgress: (progress) => told.push(progress) });
    const total = told[0]?.totalBytes ?? 0;
    expect(total).toBeLessThan(4_000_000);
    expect(told.at(-1)).toEqual({ bytes: total, totalBytes: total });
  });

  test("what the server says of itself is read", async () => {
    const staging = await startStaging();
    const info = await client(`http://127.0.0.1:${staging.port}`).info();
    expect(info.features).toContain("resumable-uploads");
  });
});

type Script = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/** Answers by method and path; ids are left out. Notes what was asked. */
async function scripted(script: Script) {
  const asked: string[] = [];
  const server = await serve((request, response) => {
    const path = (request.url ?? "").replace("/api/v1", "").replace(/\/u\d+/, "/ID");
    const name = `${request.method} ${path}`;
    asked.push(name);
    request.resume();
    request.on("end", () => (script[name] ?? notFound)(request, response));
  });
  return { url: server.url, asked };
}

function json(status: number, value: unknown) {
  return (_request: unknown, response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
}

function problem(status: number, code: string, retryable = false) {
  return json(status, { error: { code, message: `because of ${code}`, retryable, requestId: "r" } });
}

const notFound = problem(404, "NOT_FOUND");

const small = contentOf(Buffer.from("content"));

/** A server that lacks everything and takes everything. */
const taking: Script = {
  "POST /blobs:missing": json(200, { missing: [small.digest] }),
  "POST /uploads": json(201, { uploadId: "u1", exists: false }),
  "PATCH /uploads/ID": (_request, response) => void response.writeHead(204, { "upload-offset": 7 }).end(),
  "HEAD /uploads/ID": (_request, response) => void response.writeHead(200, { "upload-offset": 0 }).end(),
  "POST /uploads/ID:commit": json(201, {}),
  "POST /bundles": json(201, { bundleId: "b", token: "t", expiresAt: "2026-01-01T00:00:00Z" }),
};

/** The answers one after another, the last one again and again. */
function inTurn(...answers: readonly Script[string][]): Script[string] {
  const left = [...answers];
  return (request, response) => (left.length > 1 ? left.shift() : left[0])?.(request, response);
}

describe("with a server that does otherwise", () => {
  const stage = async (script: Script, more: Partial<StagingServer> = {}) => {
    const { url, asked } = await scripted({ ...taking, ...script });
    const files = await staged({ "a.jar": "content" });
    const outcome = await client(url, more)
      .stage({ files, owner })
      .catch((error: unknown) => error);
    return { outcome, asked, url, path: files[0]?.path ?? "" };
  };

  test("a lost upload begins anew", async () => {
    const lost = inTurn(notFound, taking["PATCH /uploads/ID"] ?? notFound);
    const { outcome, asked } = await stage({ "PATCH /uploads/ID": lost });
    expect(outcome).toMatchObject({ bundleId: "b" });
    expect(asked.filter((name) => name === "POST /uploads")).toHaveLength(2);
  });

  test("a commit whose answer was lost is not repeated when the content is there", async () => {
    const { outcome } = await stage({
      "POST /uploads/ID:commit": inTurn((request) => request.socket.destroy(), notFound),
      "HEAD /uploads/ID": notFound,
      "POST /uploads": inTurn(taking["POST /uploads"] ?? notFound, json(200, { exists: true })),
    });
    expect(outcome).toMatchObject({ bundleId: "b" });
  });

  test("a wrong offset is put right", async () => {
    const { outcome, asked } = await stage({
      "PATCH /uploads/ID": inTurn((request, response) => {
        response.setHeader("upload-offset", 3);
        problem(409, "WRONG_OFFSET", true)(request, response);
      }, taking["PATCH /uploads/ID"] ?? notFound),
    });
    expect(outcome).toMatchObject({ bundleId: "b" });
    expect(asked.filter((name) => name === "PATCH /uploads/ID")).toHaveLength(2);
  });

  test("content with another digest is a file that changed", async () => {
    const { outcome, path } = await stage({ "POST /uploads/ID:commit": problem(422, "DIGEST_MISMATCH") });
    expect(outcome).toMatchObject({
      code: "SUBMIT_ERR_STAGED_FILE_CHANGED",
      message: `${path} changed during the upload.`,
    });
  });

  test("contents that went away before the bundle came are sent again, but not for ever", async () => {
    const gone = problem(409, "MISSING_BLOBS");
    const once = await stage({ "POST /bundles": inTurn(gone, taking["POST /bundles"] ?? notFound) });
    expect(once.outcome).toMatchObject({ bundleId: "b" });
    expect(once.asked.filter((name) => name === "POST /uploads")).toHaveLength(2);
    const always = await stage({ "POST /bundles": gone });
    expect(always.outcome).toMatchObject({ code: "SUBMIT_ERR_STAGING_REJECTED" });
    expect(always.asked.filter((name) => name === "POST /bundles")).toHaveLength(3);
  });

  test("a refusal is told in the server's words, and never tried again", async () => {
    const { outcome, asked, url } = await stage(
      { "POST /blobs:missing": problem(403, "FORBIDDEN") },
      { token: "tok" },
    );
    expect(outcome).toMatchObject({
      code: "SUBMIT_ERR_STAGING_REJECTED",
      message: `${url}/ refused the list of contents (403): because of FORBIDDEN`,
    });
    expect(asked).toEqual(["POST /blobs:missing"]);
  });

  test("what passes is tried again when the server says", async () => {
    const busy = inTurn(
      (request, response) => {
        response.setHeader("retry-after", "0");
        problem(429, "TOO_MANY_REQUESTS", true)(request, response);
      },
      (_request, response) => void response.writeHead(502).end("<html>"),
      taking["POST /bundles"] ?? notFound,
    );
    expect((await stage({ "POST /bundles": busy })).outcome).toMatchObject({ bundleId: "b" });
  });

  test("what answers but is no staging server is told", async () => {
    const { outcome } = await stage({
      "POST /blobs:missing": (_request, response) => void response.end("<html>"),
    });
    expect(outcome).toMatchObject({ message: expect.stringContaining("is it a staging server?") });
    const odd = await stage({ "POST /bundles": json(201, { id: "b" }) });
    expect(odd.outcome).toMatchObject({ message: expect.stringContaining("bundleId is missing") });
  });

  test("a server that is not there is given up when patience is over", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const files = await staged({ "a.jar": "content" });
    const staging = client(url, { patienceMs: 500 }).stage({ files, owner });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringContaining("ECONNREFUSED"),
      issues: [{ hint: expect.stringContaining("the same submission goes on from there") }],
    });
    expect(await client(url).deleteBundle("b")).toBe(false);
  });
});

test("T35 a server with a certificate of somebody else is told at once, and nothing is sent", async () => {
  let asked = 0;
  const server = createServer({ cert: testCertificate, key: testKey }, (_request, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const files = await staged({ "a.jar": "content" });
  for (const authority of [testCertificate, loopbackCertificate]) {
    const staging = client(url, { authority, token: "tok", patienceMs: 3_600_000 }).stage({ files, owner });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringMatching(/altnames|self-signed certificate/),
    });
  }
  expect(asked).toBe(0);
});

describe("digests", () => {
  test("are remembered until the file is another one", async () => {
    const directory = temporaryDirectory();
    const cache = join(directory, "cache");
    const path = join(directory, "a.jar");
    const old = new Date("2026-01-01T00:00:00Z");
    writeFileSync(path, "one");
    utimesSync(path, old, old);
    const digests = digestCache(host, cache);
    expect(await digests.digestOf(path)).toEqual({
      digest: contentOf(Buffer.from("one")).digest,
      ...{ size: 3, executable: false },
    });
    digests.save();
    let read = 0;
    const onRead = (bytes: number) => {
      read += bytes;
    };
    const later = digestCache(host, cache);
    await later.digestOf(path, { onRead });
    expect(read).toBe(0);
    writeFileSync(path, "two");
    expect((await later.digestOf(path, { onRead })).digest).toBe(contentOf(Buffer.from("two")).digest);
    expect(read).toBe(3);
    // Written just now: who knows whether the next write has another time.
    await later.digestOf(path, { onRead });
    expect(read).toBe(6);
  });

  test("of files that are not there or cannot be remembered are told or computed", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "digests.json"), "[broken");
    const digests = digestCache(host, directory);
    await expect(digests.digestOf(join(directory, "no"))).rejects.toMatchObject({
      code: "SUBMIT_ERR_FILE_UNREADABLE",
    });
    mkdirSync(join(directory, "sub"));
    await expect(digests.digestOf(join(directory, "sub"))).rejects.toThrow("it is no file");
    writeFileSync(join(directory, "a"), "");
    truncateSync(join(directory, "a"), 3_000_000);
    const giveUp = new AbortController();
    const options = { signal: giveUp.signal, onRead: () => giveUp.abort(new Error("given up")) };
    await expect(digests.digestOf(join(directory, "a"), options)).rejects.toThrow("given up");
  });
});
