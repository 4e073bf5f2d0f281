import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { isSignedByOneOf } from "../../src/local-cluster/api/admission/webhooks/client/certificate-signature.ts";
import { createWebhookClient } from "../../src/local-cluster/api/admission/webhooks/client/https-webhook-client.ts";
import { testApi } from "../../src/local-cluster/test-api.ts";
import { testWith } from "../test-with.ts";

const configuration = `[req]
distinguished_name=name
[name]
[authority]
basicConstraints=critical,CA:TRUE
[server]
subjectAltName=DNS:localhost,IP:127.0.0.1
`;

/** Makes an authority and a certificate that it signs, both with the same name and without key identifiers. */
function makeCertificates(): { readonly authority: string; readonly cert: string; readonly key: string } {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-test-"));
  try {
    const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
    const read = (name: string) => readFileSync(join(directory, name), "utf8");
    writeFileSync(join(directory, "cnf"), configuration);
    const request = ["req", "-config", "cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const named = [...request, "-subj", "/CN=operator"];
    openssl(...named, "-x509", "-extensions", "authority", "-keyout", "ca.key", "-out", "ca.pem");
    openssl(...named, "-keyout", "key", "-out", "csr");
    const signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
    openssl("x509", "-req", "-in", "csr", ...signer, "-extfile", "cnf", "-extensions", "server", "-out", "cert");
    return { authority: read("ca.pem"), cert: read("cert"), key: read("key") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

testWith("OpenSSL")(
  "an authority with the name of its server is trusted, another one of this name is not",
  async () => {
    const { authority, cert, key } = makeCertificates();
    const server = createServer({ cert, key }, (_, response) => response.end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { scope } = testApi();
    const client = createWebhookClient({ ...scope, clock: nodeHost().clock, sessions: () => undefined });
    onTestFinished(() => client.close());
    const send = (trusted: string) =>
      client.send({
        address: { url: `https://127.0.0.1:${port}`, caBundle: Buffer.from(trusted).toString("base64") },
        ...{ review: "{}", timeoutMs: 5000, signal: undefined },
      });
    expect(await send(authority)).toBe("{}");
    await expect(send(makeCertificates().authority)).rejects.toThrow("x509: certificate signed by unknown authority");
  },
);

testWith("OpenSSL")("a certificate is for its names and its time only, and no authority itself", () => {
  const { authority, cert } = makeCertificates();
  const certificate = new X509Certificate(cert);
  const verified = { certificate, servername: "localhost", now: Date.now() };
  const yearMs = 365 * 24 * 3_600_000;
  expect(isSignedByOneOf([authority], verified)).toBe(true);
  expect(isSignedByOneOf([authority], { ...verified, servername: "127.0.0.1" })).toBe(true);
  expect(isSignedByOneOf([authority], { ...verified, servername: "other" })).toBe(false);
  expect(isSignedByOneOf([authority], { ...verified, servername: "127.0.0.2" })).toBe(false);
  expect(isSignedByOneOf([authority], { ...verified, now: Date.now() + yearMs })).toBe(false);
  expect(isSignedByOneOf([authority], { ...verified, now: Date.now() - yearMs })).toBe(false);
  expect(isSignedByOneOf([cert], verified)).toBe(false);
  expect(isSignedByOneOf([], verified)).toBe(false);
});
