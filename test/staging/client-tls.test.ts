import { generateKeyPairSync } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Server } from "node:net";
import { expect, test } from "vitest";
import { issueCertificate } from "../acceptance/issue-certificate.ts";
import { authority, listen, names, server } from "../acceptance/tls-submission.ts";
import { driverOwner, stageable, testClient } from "./test-client.ts";

const own = { cert: server.certificate, key: server.key };
const secure = (options: ServerOptions) => () => createHttpsServer({ ...own, ...options });
const weakKey = generateKeyPairSync("rsa", { modulusLength: 512 }).privateKey;
const withoutLevel = { maxVersion: "TLSv1.2", ciphers: "DEFAULT:@SECLEVEL=0" } as const;

function issued(more: Partial<Parameters<typeof issueCertificate>[0]>): ServerOptions {
  const { certificate, key } = issueCertificate({ name: "server", names, issuer: authority, ...more });
  return { cert: certificate, key };
}

// The deadline of an hour shows that such failures are not retried.
test.each<[string, () => Server, string, string]>([
  ["an expired certificate", secure(issued({ days: [-3, -2] })), authority.certificate, "certificate has expired"],
  [
    "a certificate of the future",
    secure(issued({ days: [2, 3] })),
    authority.certificate,
    "certificate is not yet valid",
  ],
  [
    "a certificate for another host",
    secure(issued({ names: ["a.test"] })),
    authority.certificate,
    "does not match certificate's altnames",
  ],
  [
    "a weak key",
    secure({ ...issued({ privateKey: weakKey }), ...withoutLevel }),
    authority.certificate,
    "EE certificate key too weak",
  ],
  [
    "another authority",
    secure({}),
    issueCertificate({ name: "other", isAuthority: true }).certificate,
    "unable to verify the first certificate",
  ],
  ["an authority that is not PEM", secure({}), "garbage", "unable to verify the first certificate"],
  [
    "a required client certificate",
    secure({ requestCert: true, rejectUnauthorized: true, ca: authority.certificate }),
    authority.certificate,
    "https://127.0.0.1:PORT/: certificate required",
  ],
  [
    "TLS 1.0",
    secure({ minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT:@SECLEVEL=0" }),
    authority.certificate,
    "https://127.0.0.1:PORT/: protocol version",
  ],
  [
    "other ciphers",
    secure({ maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0" }),
    authority.certificate,
    "https://127.0.0.1:PORT/: handshake failure",
  ],
  [
    "plain HTTP",
    () => createHttpServer((_, response) => response.end()),
    authority.certificate,
    "https://127.0.0.1:PORT/: it does not speak TLS; is it an http:// address?",
  ],
])(
  "a staging server with %s is reported at once, with a hint about its certificate",
  async (_, start, trusted, reason) => {
    const port = await listen(start());
    const url = `https://127.0.0.1:${port}`;
    const client = testClient(url, { authority: trusted, token: "tok", timeoutMs: 3_600_000 });
    const files = await stageable({ "a.jar": "content" });
    await expect(client.stage({ files, owner: driverOwner })).rejects.toMatchObject({
      code: "SUBMIT_ERR_STAGING_UNREACHABLE",
      message: expect.stringMatching(/^Cannot send the files to https:[^\n]+$/),
      issues: [
        {
          message: expect.stringContaining(reason.replace("PORT", String(port))),
          hint: expect.stringContaining("Set spark.firesteel.staging.server.caCertFile"),
        },
      ],
    });
  },
);
