import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { loopbackCertificate, testCertificate, testKey } from "../../src/kube-client/test-certificate.ts";
import type { StagingServer } from "../../src/staging-client/staging-client.ts";
import { freePort, serve } from "../acceptance/file-server.ts";
import { contentOf } from "./staging-program.ts";
import { driverOwner, stageable, testClient } from "./test-client.ts";

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
    const files = await stageable({ "a.jar": "content" });
    const outcome = await testClient(url, more)
      .stage({ files, owner: driverOwner })
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

  test("a rejected token is reported with the setting for it", async () => {
    const { outcome } = await stage({ "POST /blobs:missing": problem(401, "UNAUTHENTICATED") });
    const hint = expect.stringMatching(/kubectl create token .* set spark\.firesteel\.staging\.server\.tokenFile to/);
    expect(outcome).toMatchObject({ issues: [{ code: "SUBMIT_ERR_STAGING_REJECTED", hint }] });
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
    const files = await stageable({ "a.jar": "content" });
    const staging = testClient(url, { timeoutMs: 500 }).stage({ files, owner: driverOwner });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringContaining("ECONNREFUSED"),
      issues: [{ hint: expect.stringContaining("the server keeps what it has received") }],
    });
    expect(await testClient(url).deleteBundle("b")).toBe(false);
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
  const files = await stageable({ "a.jar": "content" });
  for (const authority of [testCertificate, loopbackCertificate]) {
    const staging = testClient(url, { authority, token: "tok", timeoutMs: 3_600_000 }).stage({
      files,
      owner: driverOwner,
    });
    await expect(staging).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringMatching(/altnames|self-signed certificate/),
    });
  }
  expect(requestCount).toBe(0);
});
