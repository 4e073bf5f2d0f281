import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  loopbackCertificate,
  oldCertificate,
  testCertificate,
  testKey,
} from "../../src/kube-client/test-certificate.ts";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { bundleServer, type RequestResponder, serve } from "./file-server.ts";
import { expectFailure, localize, secret, tree } from "./localize.ts";
import { temporaryDirectory } from "./programs.ts";

const contents = { "jars/app.jar": "jar" };

/** Starts a TLS server and returns its URL. */
async function serveSecurely(respond: RequestResponder, certificate = loopbackCertificate): Promise<string> {
  const server = createServer({ cert: certificate, key: testKey }, respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function bundle(server: string, authority: string): LocalizeSource {
  const authorityFile = join(temporaryDirectory(), "ca.crt");
  writeFileSync(authorityFile, authority);
  return { kind: "bundle", server, bundleId: "b1", tokenFile: secret(), authorityFile };
}

test("the configured authority is trusted", async () => {
  const server = await serveSecurely(bundleServer(contents));
  const run = localize([bundle(server, loopbackCertificate)]);
  expect(await run.program.ended).toMatchObject({ exit: 0, stderr: "" });
  expect(tree(run.directory)).toMatchObject({ "jars/app.jar": "644" });
});

test.each([
  ["another authority", loopbackCertificate, testCertificate, "self-signed certificate"],
  ["an old certificate", oldCertificate, oldCertificate, "certificate has expired"],
  ["a certificate for others", testCertificate, testCertificate, "does not match certificate's altnames"],
])("T35: %s is reported at once, and no token is sent", async (_what, certificate, authority, args) => {
  let requests = 0;
  const server = await serveSecurely((_request, response) => {
    requests += 1;
    response.end();
  }, certificate);
  const run = localize([bundle(server, authority)]);
  const { stderr } = await expectFailure(run, 7, { code: "network" });
  expect(stderr).toContain(args);
  expect(requests).toBe(0);
});

test("an entry on another origin is fetched without the token, and never over plain HTTP", async () => {
  const elsewhere = await serve((request, response) => {
    response.end(request.headers.authorization ?? "jar");
  });
  const right = bundleServer(contents);
  const redirecting: RequestResponder = (request, response) => {
    if (request.url?.includes("entries") !== true) return right(request, response);
    response.writeHead(307, { location: `${elsewhere.url}/presigned?signature=s3cret` }).end();
  };
  const plain = await serve(redirecting);
  const source = { kind: "bundle", server: plain.url, bundleId: "b1", tokenFile: secret() } as const;
  const run = localize([source]);
  expect((await run.program.ended).exit).toBe(0);
  expect(readFileSync(join(run.directory, "jars/app.jar"), "utf8")).toBe("jar");
  const unsafe = localize([bundle(await serveSecurely(redirecting), loopbackCertificate)]);
  const { stderr } = await expectFailure(unsafe, 7, { code: "network" });
  expect(stderr).toContain(`the server redirects to ${elsewhere.url}/presigned, which is less secure`);
  expect(elsewhere.requests).toHaveLength(1);
});
