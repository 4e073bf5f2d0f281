import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkStaging } from "../../src/doctor/checks/check-staging.ts";
import { fetchStaging } from "../../src/doctor/fetch/fetch-staging.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { localizedDriver } from "../../src/plan/test-localized.ts";
import { freePort, type RequestResponder, serve } from "../acceptance/file-server.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { authority, listen, server } from "../acceptance/tls-submission.ts";

const limits = { maxBlobBytes: 100_000_000 };
const serverKey = "spark.firesteel.staging.server";

/** Writes a file with a content. Returns its path. */
function temporaryFile(content: string): string {
  const path = join(temporaryDirectory(), "file");
  writeFileSync(path, content);
  return path;
}

/** Checks the way of a large file with these settings. */
async function findings(settings: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const files = { "spark.files": "file:/me/a" };
  const driver = localizedDriver({ settings: { ...files, ...settings }, machine: { "/me/a": 10_000_000 } });
  return checkStaging(await fetchStaging({ ...nodeHost(), env }, driver));
}

/** Starts a staging server with limits, which responds to the list of contents. */
async function stagingServer(respond: RequestResponder, { maxBlobBytes } = limits): Promise<string> {
  const { url } = await serve((request, response) => {
    request.resume();
    if (request.url === "/api/v1/info")
      response.end(JSON.stringify({ version: "1", features: [], limits: { maxBlobBytes } }));
    else respond(request, response);
  });
  return url;
}

const accepting: RequestResponder = (_request, response) => response.end(JSON.stringify({ missing: [] }));

function rejecting(status: number): RequestResponder {
  const error = { code: "X", message: "because", retryable: status === 503, requestId: "r" };
  return (_request, response) => response.writeHead(status).end(JSON.stringify({ error }));
}

test("a staging server that takes the files is fine, and gets no file", async () => {
  const requests: string[] = [];
  const url = await stagingServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    accepting(request, response);
  });
  expect(await findings({ [serverKey]: url })).toMatchObject([{ check: "staging", status: "ok" }]);
  expect(requests).toEqual(["POST /api/v1/blobs:missing"]);
});

test("a server that is not reached is a failure, after one attempt", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await findings({ [serverKey]: url })).toEqual([
    {
      ...{ check: "staging", status: "failure", key: serverKey },
      reason: expect.stringContaining("ECONNREFUSED"),
      fix: "Start the staging server, or correct its address, the DNS or the proxy of this machine.",
    },
  ]);
  expect(await findings({ [serverKey]: "http://none.invalid" })).toMatchObject([
    { status: "failure", reason: expect.stringMatching(/none\.invalid/), key: serverKey },
  ]);
});

test("a token that the server does not accept is a failure that names its setting", async () => {
  const tokenFile = temporaryFile("secret-token");
  const settings = { [serverKey]: await stagingServer(rejecting(401)), [`${serverKey}.tokenFile`]: tokenFile };
  const found = await findings(settings);
  expect(found).toMatchObject([
    { status: "failure", key: `${serverKey}.tokenFile`, fix: expect.stringContaining("kubectl create token") },
  ]);
  expect(JSON.stringify(found)).not.toContain("secret-token");
  expect(await findings({ ...settings, [`${serverKey}.tokenFile`]: "/none" })).toMatchObject([
    { status: "failure", reason: expect.stringContaining("/none") },
  ]);
});

test("a server that is overloaded is a warning, because a submission tries again", async () => {
  expect(await findings({ [serverKey]: await stagingServer(rejecting(503)) })).toMatchObject([
    { status: "warning", reason: expect.stringContaining("503") },
  ]);
});

test("a file above the limit of the server is a failure", async () => {
  const url = await stagingServer(accepting, { maxBlobBytes: 9_999_999 });
  expect(await findings({ [serverKey]: url })).toMatchObject([
    {
      status: "failure",
      reason: "The staging server accepts at most 9999999 bytes for /me/a, which has 10000000.",
    },
  ]);
});

test("an untrusted certificate is a failure that names the setting of the authority", async () => {
  const port = await listen(createServer({ cert: server.certificate, key: server.key }));
  const settings = { [serverKey]: `https://127.0.0.1:${port}` };
  expect(await findings(settings)).toMatchObject([
    { status: "failure", key: `${serverKey}.caCertFile`, fix: expect.stringContaining("caCertFile") },
  ]);
  const trusted = await findings({ ...settings, [`${serverKey}.caCertFile`]: temporaryFile(authority.certificate) });
  expect(trusted[0]).not.toMatchObject({ key: `${serverKey}.caCertFile` });
});

test("a bucket that is not reached or denies access is a failure; one that responds is fine", async () => {
  const bucket = { "spark.firesteel.staging.s3.path": "s3://bucket/files" };
  const endpoint = (url: string) => ({ ...bucket, "spark.firesteel.staging.s3.endpoint": url });
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "secret-key" };
  const key = "spark.firesteel.staging.s3.path";
  const refused = await findings(endpoint(`http://127.0.0.1:${await freePort()}`), env);
  expect(refused).toMatchObject([{ status: "failure", key, reason: expect.stringContaining("ECONNREFUSED") }]);
  const denying = await serve((_request, response) => response.writeHead(403).end());
  const denied = await findings(endpoint(denying.url), env);
  expect(denied).toMatchObject([{ status: "failure", key, reason: expect.stringContaining("403") }]);
  expect(JSON.stringify(denied)).not.toContain("secret-key");
  const empty = await serve((_request, response) => response.writeHead(404).end());
  expect(await findings(endpoint(empty.url), env)).toMatchObject([{ status: "ok" }]);
});

test("files that fit into a Secret, and no files, need nothing", async () => {
  const url = { [serverKey]: "http://none.invalid" };
  const driver = (machine: Readonly<Record<string, string>>, files: string) =>
    localizedDriver({ settings: { ...url, "spark.files": files }, machine });
  for (const planned of [driver({ "/me/a": "a" }, "file:/me/a"), driver({}, "local:///a")])
    expect(checkStaging(await fetchStaging(nodeHost(), planned))).toMatchObject([{ status: "ok" }]);
});
