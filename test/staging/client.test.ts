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
import { contentOf, defaultForm, someBytes, startStaging } from "./staging-program.ts";

const owner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" } as const;
const host = nodeHost();

/** Creates a client with its own cache unless `more` specifies one. */
function client(url: string, more: Partial<StagingServer> = {}) {
  return stagingClient(host, { url, cachePath: temporaryDirectory(), timeoutMs: 5000, ...more });
}

/** Writes local files with these contents. Returns them as entries. */
async function staged(contents: Readonly<Record<string, Uint8Array | string>>): Promise<readonly StagedFile[]> {
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
  test("the init container downloads staged files, and a second submission sends nothing (T26, T53)", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, []);
    const files = await staged({
      "app.jar": big,
      "run.sh": "#!/bin/sh\n",
      empty: "",
      "same.jar": "#!/bin/sh\n",
    });
    const progressReports: StagingProgress[] = [];
    const submitter = client(`http://127.0.0.1:${port}`);
    const receipt = await submitter.stage({
      files,
      owner,
      onProgress: (progress) => progressReports.push(progress),
    });
    expect([progressReports[0], progressReports.at(-1)]).toEqual([
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

  test("the init container unpacks resources of API v0", async () => {
    const staging = await startStaging();
    const form = defaultForm(
      gzipSync(
        tarOf([
          { name: "a.jar", content: "a" },
          { name: "b.jar", content: "b" },
        ]),
      ),
    );
    const made = await staging.sendRequest("POST", "/api/v0/resources", form);
    const server = `http://127.0.0.1:${staging.port}`;
    const [resourceId, token] = [made.text("resourceId"), made.text("resourceSecret")];
    const run = localize([
      { kind: "tarball", server, resourceId, secretFile: secret(token), entryKind: "jar", totalBytes: 2 },
    ]);
    expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
    expect(Object.keys(tree(run.directory))).toEqual(["jars/", "jars/a.jar", "jars/b.jar"]);
  });

  test("an interrupted upload continues at the server's offset", async () => {
    const staging = await startStaging();
    const { port, sentBytes } = await openFailingProxy(staging.port, [3_000_000, 5_000_000, 1_000_000]);
    const files = await staged({ "app.jar": big });
    await client(`http://127.0.0.1:${port}`).stage({ files, owner });
    expect(sentBytes()).toBeGreaterThan(big.length);
    // Each interruption loses only the bytes in buffers on the way, and no received bytes.
    const { body } = await staging.sendRequest("GET", "/metrics");
    const received = Number(/^firesteel_staging_received_bytes_total (.*)$/m.exec(body.toString())?.[1]);
    expect(received - big.length).toBeGreaterThanOrEqual(0);
    expect(received - big.length).toBeLessThan(10_000);
  });

  test("T77 the next submission continues an aborted upload", async () => {
    const staging = await startStaging();
    const url = `http://127.0.0.1:${staging.port}`;
    const files = await staged({ "app.jar": big });
    const cachePath = temporaryDirectory();
    const aborter = new AbortController();
    const onProgress = ({ bytes }: StagingProgress) => {
      if (bytes > 17_000_000) aborter.abort(new Error("aborted"));
    };
    const first = client(url, { cachePath, signal: aborter.signal });
    await expect(first.stage({ files, owner, onProgress })).rejects.toThrow("aborted");
    first.close();
    const progressReports: StagingProgress[] = [];
    const second = client(url, { cachePath });
    await second.stage({ files, owner, onProgress: (progress) => progressReports.push(progress) });
    const total = progressReports[0]?.totalBytes ?? 0;
    expect(total).toBeLessThan(4_000_000);
    expect(progressReports.at(-1)).toEqual({ bytes: total, totalBytes: total });
  });

  test("info() returns the server's features", async () => {
    const staging = await startStaging();
    const info = await client(`http://127.0.0.1:${staging.port}`).info();
    expect(info.features).toContain("resumable-uploads");
  });
});

type Script = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

/** Starts a server with scripted responses by method and path, where IDs are replaced. Records the requests. */
async function scripted(script: Script) {
  const requests: string[] = [];
  const server = await serve((request, response) => {
    const path = (request.url ?? "").replace("/api/v1", "").replace(/\/u\d+/, "/ID");
    const name = `${request.method} ${path}`;
    requests.push(name);
    request.resume();
    request.on("end", () => (script[name] ?? notFound)(request, response));
  });
  return { url: server.url, requests };
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

/** Responses of a server that has no contents and accepts all of them. */
const taking: Script = {
  "POST /blobs:missing": json(200, { missing: [small.digest] }),
  "POST /uploads": json(201, { uploadId: "u1", exists: false }),
  "PATCH /uploads/ID": (_request, response) => void response.writeHead(204, { "upload-offset": 7 }).end(),
  "HEAD /uploads/ID": (_request, response) => void response.writeHead(200, { "upload-offset": 0 }).end(),
  "POST /uploads/ID:commit": json(201, {}),
  "POST /bundles": json(201, { bundleId: "b", token: "t", expiresAt: "2026-01-01T00:00:00Z" }),
};

/** Returns the responses in order, then repeats the last one. */
function inOrder(...responses: readonly Script[string][]): Script[string] {
  const left = [...responses];
  return (request, response) => (left.length > 1 ? left.shift() : left[0])?.(request, response);
}

describe("with a server that fails or deviates", () => {
  const stage = async (script: Script, more: Partial<StagingServer> = {}) => {
    const { url, requests } = await scripted({ ...taking, ...script });
    const files = await staged({ "a.jar": "content" });
    const outcome = await client(url, more)
      .stage({ files, owner })
      .catch((error: unknown) => error);
    return { outcome, requests, url, path: files[0]?.path ?? "" };
  };

  test("a lost upload starts again", async () => {
    const lost = inOrder(notFound, taking["PATCH /uploads/ID"] ?? notFound);
    const { outcome, requests } = await stage({ "PATCH /uploads/ID": lost });
    expect(outcome).toMatchObject({ bundleId: "b" });
    expect(requests.filter((name) => name === "POST /uploads")).toHaveLength(2);
  });

  test("a commit whose response was lost is not repeated when the content exists", async () => {
    const { outcome } = await stage({
      "POST /uploads/ID:commit": inOrder((request) => request.socket.destroy(), notFound),
      "HEAD /uploads/ID": notFound,
      "POST /uploads": inOrder(taking["POST /uploads"] ?? notFound, json(200, { exists: true })),
    });
    expect(outcome).toMatchObject({ bundleId: "b" });
  });

  test("a wrong offset is corrected", async () => {
    const { outcome, requests } = await stage({
      "PATCH /uploads/ID": inOrder((request, response) => {
        response.setHeader("upload-offset", 3);
        problem(409, "WRONG_OFFSET", true)(request, response);
      }, taking["PATCH /uploads/ID"] ?? notFound),
    });
    expect(outcome).toMatchObject({ bundleId: "b" });
    expect(requests.filter((name) => name === "PATCH /uploads/ID")).toHaveLength(2);
  });

  test("a digest mismatch is reported as a file that changed", async () => {
    const { outcome, path } = await stage({ "POST /uploads/ID:commit": problem(422, "DIGEST_MISMATCH") });
    expect(outcome).toMatchObject({
      code: "SUBMIT_ERR_STAGED_FILE_CHANGED",
      message: `${path} changed during the upload.`,
    });
  });

  test("contents that disappear before the bundle is created are sent again, up to a limit", async () => {
    const gone = problem(409, "MISSING_BLOBS");
    const once = await stage({ "POST /bundles": inOrder(gone, taking["POST /bundles"] ?? notFound) });
    expect(once.outcome).toMatchObject({ bundleId: "b" });
    expect(once.requests.filter((name) => name === "POST /uploads")).toHaveLength(2);
    const always = await stage({ "POST /bundles": gone });
    expect(always.outcome).toMatchObject({ code: "SUBMIT_ERR_STAGING_REJECTED" });
    expect(always.requests.filter((name) => name === "POST /bundles")).toHaveLength(3);
  });

  test("a rejection is reported with the server's message and not retried", async () => {
    const { outcome, requests, url } = await stage(
      { "POST /blobs:missing": problem(403, "FORBIDDEN") },
      { token: "tok" },
    );
    expect(outcome).toMatchObject({
      code: "SUBMIT_ERR_STAGING_REJECTED",
      message: `${url}/ rejected the list of contents (403): because of FORBIDDEN`,
    });
    expect(requests).toEqual(["POST /blobs:missing"]);
  });

  test("a transient failure is retried after the server's delay", async () => {
    const busy = inOrder(
      (request, response) => {
        response.setHeader("retry-after", "0");
        problem(429, "TOO_MANY_REQUESTS", true)(request, response);
      },
      (_request, response) => void response.writeHead(502).end("<html>"),
      taking["POST /bundles"] ?? notFound,
    );
    expect((await stage({ "POST /bundles": busy })).outcome).toMatchObject({ bundleId: "b" });
  });

  test("a server that is not a staging server is reported", async () => {
    const { outcome } = await stage({
      "POST /blobs:missing": (_request, response) => void response.end("<html>"),
    });
    expect(outcome).toMatchObject({ message: expect.stringContaining("Is it a staging server?") });
    const malformed = await stage({ "POST /bundles": json(201, { id: "b" }) });
    expect(malformed.outcome).toMatchObject({ message: expect.stringContaining("bundleId is missing") });
  });

  test("an unreachable server is reported after the timeout", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const files = await staged({ "a.jar": "content" });
    const staging = client(url, { timeoutMs: 500 }).stage({ files, owner });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringContaining("ECONNREFUSED"),
      issues: [{ hint: expect.stringContaining("the upload resumes") }],
    });
    expect(await client(url).deleteBundle("b")).toBe(false);
  });
});

test("T35 an untrusted certificate is reported immediately, and no request is sent", async () => {
  let requestCount = 0;
  const server = createServer({ cert: testCertificate, key: testKey }, (_request, response) => {
    requestCount += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const files = await staged({ "a.jar": "content" });
  for (const authority of [testCertificate, loopbackCertificate]) {
    const staging = client(url, { authority, token: "tok", timeoutMs: 3_600_000 }).stage({ files, owner });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringMatching(/altnames|self-signed certificate/),
    });
  }
  expect(requestCount).toBe(0);
});

describe("digests", () => {
  test("are cached until the file changes", async () => {
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
    // The file was just written. A further write could have the same modification time, so it is not cached.
    await later.digestOf(path, { onRead });
    expect(read).toBe(6);
  });

  test("reports unreadable files, and ignores a broken cache", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "digests.json"), "[broken");
    const digests = digestCache(host, directory);
    await expect(digests.digestOf(join(directory, "no"))).rejects.toMatchObject({
      code: "SUBMIT_ERR_FILE_UNREADABLE",
    });
    mkdirSync(join(directory, "sub"));
    await expect(digests.digestOf(join(directory, "sub"))).rejects.toThrow("it is not a file");
    writeFileSync(join(directory, "a"), "");
    truncateSync(join(directory, "a"), 3_000_000);
    const aborter = new AbortController();
    const options = { signal: aborter.signal, onRead: () => aborter.abort(new Error("aborted")) };
    await expect(digests.digestOf(join(directory, "a"), options)).rejects.toThrow("aborted");
  });
});
