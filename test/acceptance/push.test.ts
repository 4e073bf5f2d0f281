import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import type { BundleEntry } from "../../src/staging-client/bundle.ts";
import type { PushSource } from "../../src/staging-client/localize-config.ts";
import { pushEntries } from "../../src/staging-client/push-entries.ts";
import { testWith } from "../test-with.ts";
import { openFailingProxy } from "./failing-proxy.ts";
import { digestOf, entriesOf, freePort, tarballOf } from "./file-server.ts";
import { expectFailure, localize, programOutput, type Run, secret, tree } from "./localize.ts";
import { temporaryDirectory } from "./programs.ts";

const secretText = "one-time-secret";

const contents = {
  "jars/app.jar": Buffer.alloc(3_000_000, "0123456789"),
  "files/empty": "",
  "files/run.sh": "#!/bin/sh\n",
  "archives/last.zip": "",
};

/** Starts an init container that waits for these entries; returns the run and its URL. */
async function waiting(
  entries: readonly BundleEntry[] = entriesOf(contents),
  more: Partial<PushSource> = {},
): Promise<Run & { readonly url: string; readonly port: number }> {
  const run = localize([{ kind: "push", port: 0, secretFile: secret(secretText), entries, ...more }]);
  const port = Number(/on port (\d+)\n/.exec(await programOutput(run, /on port \d+\n/))?.[1]);
  return { ...run, url: `http://127.0.0.1:${port}`, port };
}

/** Writes the contents as files on the client's side. */
function localFiles(): readonly { readonly path: string; readonly size: number }[] {
  const directory = temporaryDirectory();
  return Object.entries(contents).map(([path, content], index) => {
    const file = join(directory, String(index));
    writeFileSync(file, content);
    return { path: file, size: Buffer.byteLength(content), name: path };
  });
}

function create(url: string, options: { headers?: Record<string, string>; body?: string } = {}) {
  return fetch(`${url}/v1/submissions/create`, { method: "POST", ...options });
}

const known = { "x-submission-secret": secretText };

test("T80: responds to pings, rejects wrong secrets and bad requests, accepts one application", async () => {
  const run = await waiting(entriesOf({ "files/a": "abcdef" }));
  const pong = await fetch(`${run.url}/v1/submissions/ping`);
  expect([pong.status, await pong.json()]).toEqual([
    200,
    { action: "PingResponse", message: "pong", text: "pong", serverSparkVersion: "unknown" },
  ]);
  for (const headers of [{}, { "x-submission-secret": "" }, { "x-submission-secret": "one-time-secreT" }]) {
    const refused = await create(run.url, { headers, body: "abcdef" });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({
      action: "ErrorResponse",
      message: "Unauthorized to submit application.",
    });
  }
  expect((await create(run.url, { headers: { ...known, "upload-offset": "x" } })).status).toBe(400);
  expect((await create(run.url, { headers: known, body: "abcdefg" })).status).toBe(400);
  expect((await fetch(`${run.url}/v1/submissions/status`)).status).toBe(404);
  expect((await fetch(`${run.url}/v1/submissions/create`)).status).toBe(405);
  const part = await create(run.url, { headers: known, body: "abc" });
  expect([part.status, part.headers.get("upload-offset")]).toEqual([204, "3"]);
  const other = await create(run.url, { headers: { ...known, "x-submission-client": "other" } });
  expect([other.status, await other.json()]).toMatchObject([
    409,
    { message: "Application has already been submitted." },
  ]);
  const wrongOffset = await create(run.url, { headers: known, body: "abc" });
  expect([wrongOffset.status, wrongOffset.headers.get("upload-offset")]).toEqual([409, "3"]);
  const last = await create(run.url, { headers: { ...known, "upload-offset": "3" }, body: "def" });
  expect([last.status, await last.json()]).toEqual([
    200,
    {
      action: "CreateSubmissionResponse",
      message: "success",
      success: true,
      serverSparkVersion: "unknown",
    },
  ]);
  const outcome = await run.program.ended;
  expect(outcome).toMatchObject({ exit: 0, stderr: "" });
  expect(outcome.stdout).not.toContain(secretText);
  expect(readFileSync(join(run.directory, "files/a"), "utf8")).toBe("abcdef");
});

test("a second client of one submission waits while the first sends, and resumes where it stopped", async () => {
  const run = await waiting(entriesOf({ "files/a": "abcdef" }));
  const shared = (client: string) => ({
    ...known,
    ...{ "x-submission-client": client, "x-submission-shared": "true" },
  });
  const offsetOf = async (client: string) => {
    const reply = await fetch(`${run.url}/v1/submissions/create`, {
      method: "HEAD",
      headers: shared(client),
    });
    return [reply.status, reply.headers.get("upload-offset")];
  };
  const body = new PassThrough();
  const headers = { ...shared("first"), "upload-offset": "0", "transfer-encoding": "chunked" };
  const sending = request(`${run.url}/v1/submissions/create`, { method: "POST", headers });
  sending.on("error", () => {});
  body.pipe(sending);
  body.write("abc");
  await expect.poll(() => offsetOf("second"), { timeout: 30_000 }).toEqual([409, "3"]);
  sending.destroy();
  await expect.poll(() => offsetOf("second"), { timeout: 30_000 }).toEqual([200, "3"]);
  const last = await create(run.url, { headers: { ...shared("second"), "upload-offset": "3" }, body: "def" });
  expect(last.status).toBe(200);
  expect((await run.program.ended).exit).toBe(0);
  expect(readFileSync(join(run.directory, "files/a"), "utf8")).toBe("abcdef");
});

test("T80: the request of a 2017 client is accepted, with its secret in the body", async () => {
  const run = await waiting(entriesOf({ "jars/a.jar": "jar a", "files/b.txt": "text", "jars/main.jar": "main" }));
  const secretBase64 = Buffer.from(secretText).toString("base64");
  const archive = (name: string, content: string) => ({
    dataBase64: Buffer.from(tarballOf([{ name, content }])).toString("base64"),
    ...{ blockSize: 10240, recordSize: 512, encoding: "UTF-8" },
  });
  const complete = {
    action: "KubernetesCreateSubmissionRequest",
    secret: secretBase64,
    uploadedJarsBase64Contents: archive("a.jar", "jar a"),
    uploadedFilesBase64Contents: archive("b.txt", "text"),
    appResource: {
      type: "UploadedAppResource",
      ...{ name: "main.jar", resourceBase64Contents: Buffer.from("main").toString("base64") },
    },
  };
  const headers = { "content-type": "application/json" };
  const send = async (body: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await create(run.url, { headers, body: text });
    return [reply.status, await reply.json()];
  };
  expect(await send("{")).toMatchObject([400, { message: expect.stringContaining("Malformed request: ") }]);
  expect(await send({})).toMatchObject([400, { message: "Malformed request: secret is missing" }]);
  expect(await send({ ...complete, secret: secretText })).toMatchObject([
    401,
    { message: "Unauthorized to submit application." },
  ]);
  expect(await send({ ...complete, appResource: {} })).toMatchObject([
    400,
    { message: "Malformed request: main.jar is missing" },
  ]);
  const broken = { dataBase64: Buffer.from("no gzip").toString("base64") };
  expect((await send({ ...complete, uploadedJarsBase64Contents: broken }))[0]).toBe(400);
  expect(await send(" ".repeat(17 * 1024 * 1024))).toMatchObject([413, {}]);
  const many = `{"x":[${"[],".repeat(4_000_000)}[]]}`;
  expect(await send(many)).toMatchObject([400, { message: "Malformed request: it has more than 10000 values" }]);
  expect(await send(complete)).toMatchObject([200, { success: true }]);
  expect((await run.program.ended).exit).toBe(0);
  expect(readFileSync(join(run.directory, "jars/main.jar"), "utf8")).toBe("main");
  expect(readFileSync(join(run.directory, "files/b.txt"), "utf8")).toBe("text");
});

test("sent files are placed, checked and reported in bytes", async () => {
  const run = await waiting();
  const files = localFiles();
  const statuses: number[] = [];
  const onProgress = ({ bytes }: { readonly bytes: number }) => statuses.push(bytes);
  await pushEntries(nodeHost(), { url: run.url, secret: secretText, files, onProgress });
  expect((await run.program.ended).exit).toBe(0);
  expect(statuses.at(-1)).toBe(3_000_010);
  expect(tree(run.directory)).toEqual({
    "archives/": "755",
    "archives/last.zip": "644",
    "files/": "755",
    "files/empty": "644",
    "files/run.sh": "755",
    "jars/": "755",
    "jars/app.jar": "644",
  });
  expect(digestOf(readFileSync(join(run.directory, "jars/app.jar")))).toBe(digestOf(contents["jars/app.jar"]));
});

test("a broken connection loses no received byte", async () => {
  const run = await waiting();
  const { port } = await openFailingProxy(run.port, [1_000_000, 500_000]);
  const starts: number[] = [];
  let last = Number.POSITIVE_INFINITY;
  const onProgress = ({ bytes }: { readonly bytes: number }) => {
    if (bytes < last) starts.push(bytes);
    last = bytes;
  };
  const options = { secret: secretText, files: localFiles(), onProgress };
  await pushEntries(nodeHost(), { ...options, url: "http://pod", connect: () => connect(port, "127.0.0.1") });
  expect((await run.program.ended).exit).toBe(0);
  expect(starts.length).toBeGreaterThan(1);
  expect(starts.slice(1).every((start) => start > 0)).toBe(true);
  expect(digestOf(readFileSync(join(run.directory, "jars/app.jar")))).toBe(digestOf(contents["jars/app.jar"]));
});

test("content with another digest fails both sides", async () => {
  const run = await waiting(entriesOf({ "files/a": "right" }));
  const path = join(temporaryDirectory(), "a");
  writeFileSync(path, "wrong");
  const sending = pushEntries(nodeHost(), { url: run.url, secret: secretText, files: [{ path, size: 5 }] });
  await expect(sending).rejects.toThrow("The init container rejected the files (422): The content received for a has");
  await expectFailure(run, 5, { code: "integrity", entry: "a" });
});

test("a wrong secret fails at once with SUBMIT_ERR_STAGING_REJECTED", async () => {
  const run = await waiting();
  const sending = pushEntries(nodeHost(), { url: run.url, secret: "wrong", files: localFiles() });
  await expect(sending).rejects.toMatchObject({
    code: "SUBMIT_ERR_STAGING_REJECTED",
    message: "The init container rejected the files (401): Unauthorized to submit application.",
  });
  run.program.child.kill("SIGTERM");
  expect((await run.program.ended).exit).toBe(143);
});

test("a file that became shorter fails with SUBMIT_ERR_STAGED_FILE_CHANGED", async () => {
  const run = await waiting();
  const [first, ...rest] = localFiles();
  truncateSync(first?.path ?? "", 100);
  const files = first === undefined ? [] : [first, ...rest];
  const sending = pushEntries(nodeHost(), { url: run.url, secret: secretText, files });
  await expect(sending).rejects.toMatchObject({ code: "SUBMIT_ERR_STAGED_FILE_CHANGED" });
  run.program.child.kill("SIGTERM");
  await run.program.ended;
});

test("a missing init container fails with SUBMIT_ERR_STAGING_UNREACHABLE", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const sending = pushEntries(nodeHost(), { url, secret: secretText, files: [], timeoutMs: 500 });
  await expect(sending).rejects.toMatchObject({
    code: "SUBMIT_ERR_STAGING_UNREACHABLE",
    issues: [{ hint: expect.stringContaining("deleted with the driver pod") }],
  });
});

test("an aborted submission fails with its abort reason", async () => {
  const run = await waiting();
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error("given up"));
  const { signal } = abort;
  const options = { url: run.url, secret: secretText, files: localFiles(), onProgress, signal };
  await expect(pushEntries(nodeHost(), options)).rejects.toThrow("given up");
  run.program.child.kill("SIGTERM");
  await run.program.ended;
});

testWith("Linux")("T81: 300 MiB are taken in little memory", async () => {
  const path = join(temporaryDirectory(), "big.jar");
  const size = 300 * 1024 * 1024;
  writeFileSync(path, "");
  truncateSync(path, size);
  const entry = { kind: "jar", name: "big.jar", size, executable: false } as const;
  const run = await waiting([{ ...entry, digest: digestOf(Buffer.alloc(size)) }]);
  let peak = 0;
  const onProgress = ({ bytes }: { readonly bytes: number }) => {
    if (bytes < size * 0.9 || peak > 0) return;
    const status = readFileSync(`/proc/${run.program.child.pid}/status`, "utf8");
    peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  };
  await pushEntries(nodeHost(), { url: run.url, secret: secretText, files: [{ path, size }], onProgress });
  expect((await run.program.ended).exit).toBe(0);
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(128 * 1024);
});

test("T82: fails when no client connects", async () => {
  const run = await waiting(entriesOf(contents), { clientTimeoutSeconds: 1 });
  const message = "No data arrived from the submitting client for 1 s";
  await expectFailure(run, 7, { code: "network", message });
});
