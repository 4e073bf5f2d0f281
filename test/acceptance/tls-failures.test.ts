import { generateKeyPairSync } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import type { ServerOptions } from "node:https";
import { createServer as createSocketServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { issueCertificate } from "./issue-certificate.ts";
import { authority, names, type Scenario, server, submit } from "./tls-submission.ts";

const otherAuthority = issueCertificate({ name: "other authority", isAuthority: true });
const intermediate = issueCertificate({ name: "intermediate", isAuthority: true, issuer: authority });
const client = issueCertificate({ name: "client", issuer: authority });
const selfSigned = issueCertificate({ name: "self-signed", names });
const behindIntermediate = issueCertificate({ name: "behind", names, issuer: intermediate });

const requestsClient: ServerOptions = { requestCert: true, rejectUnauthorized: true, ca: authority.certificate };
const oldClient = issueCertificate({ name: "client", issuer: authority, days: [-3, -2] });
const filesOf = ({ certificate, key }: { certificate: string; key: string }) => ({
  ...{ clientCert: certificate, clientKey: key },
});

const untrusted = "The certificate of https://HOST is not trusted: ";
const presented = (subject: string, issuer: string) => `(subject CN=${subject}; issuer CN=${issuer}; valid from `;
const caHint = "Set spark.kubernetes.authenticate.submission.caCertFile";
const pemHint = "Use a file with certificates in the PEM format";
const clientHint = "spark.kubernetes.authenticate.submission.clientCertFile";
const networkHint = "Check the address in --master";

/** Name, server and client, texts of the error and of the hint. */
type Failure = readonly [string, Scenario, string, string];

const serverFailures: readonly Failure[] = [
  [
    "an expired certificate",
    { options: issued({ days: [-3, -2] }) },
    `${untrusted}certificate has expired ${presented("server", "authority")}`,
    "Compare the clock of this machine",
  ],
  [
    "a certificate of the future",
    { options: issued({ days: [2, 3] }) },
    `${untrusted}certificate is not yet valid ${presented("server", "authority")}`,
    "Compare the clock of this machine",
  ],
  [
    "a certificate for another name",
    { options: issued({ names: ["other.test", "10.0.0.1"] }), host: "localhost" },
    `${untrusted}Hostname/IP does not match certificate's altnames: Host: localhost. is not in the cert's altnames: DNS:other.test`,
    "Use a host in --master that the certificate contains",
  ],
  [
    "a certificate for another address",
    { options: issued({ names: ["other.test", "10.0.0.1"] }) },
    `${untrusted}Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: 10.0.0.1`,
    "Use a host in --master that the certificate contains",
  ],
  [
    "a self-signed certificate",
    { options: { cert: selfSigned.certificate, key: selfSigned.key } },
    `${untrusted}self-signed certificate ${presented("self-signed", "self-signed")}`,
    caHint,
  ],
  [
    "a certificate of an unknown authority",
    { ca: otherAuthority.certificate },
    `${untrusted}unable to verify the first certificate ${presented("server", "authority")}`,
    caHint,
  ],
  [
    "a missing intermediate certificate",
    { options: { cert: behindIntermediate.certificate, key: behindIntermediate.key } },
    `${untrusted}unable to verify the first certificate ${presented("behind", "intermediate")}`,
    caHint,
  ],
  [
    "a key of 512 bits",
    { options: { ...issued({ privateKey: rsaKey(512) }), ciphers: "DEFAULT:@SECLEVEL=0", maxVersion: "TLSv1.2" } },
    `${untrusted}EE certificate key too weak ${presented("server", "authority")}`,
    "a stronger key",
  ],
  [
    "a missing authority",
    { ca: undefined },
    "Cannot read the certificate authority: /nowhere/ca.crt (No such",
    "Check that",
  ],
  ["an authority that is not PEM", { ca: "garbage" }, "Cannot use the certificate authority: it is not PEM", pemHint],
  ["an empty authority", { ca: "" }, "Cannot use the certificate authority: it is empty", pemHint],
  [
    "a key as authority",
    { ca: server.key },
    "certificate authority: it contains a private key, no certificate",
    pemHint,
  ],
];

const clientFailures: readonly Failure[] = [
  [
    "no client certificate",
    { options: requestsClient },
    "https://HOST rejected this client's TLS handshake: certificate required",
    clientHint,
  ],
  [
    "no client certificate with TLS 1.2",
    { options: { ...requestsClient, maxVersion: "TLSv1.2" } },
    "The TLS handshake with https://HOST failed: handshake failure",
    clientHint,
  ],
  // Node's servers close the connection without an alert.
  [
    "a client certificate of an unknown authority",
    { options: requestsClient, clientFiles: filesOf(selfSigned), mayHaveArrived: true },
    "No response from https://HOST: connection reset",
    networkHint,
  ],
  [
    "an expired client certificate",
    { options: requestsClient, clientFiles: filesOf(oldClient), mayHaveArrived: true },
    "No response from https://HOST: connection reset",
    networkHint,
  ],
  [
    "another client's key",
    { options: requestsClient, clientFiles: { ...filesOf(client), clientKey: server.key } },
    "Cannot use the pair of client certificate and client key: ",
    "a client certificate and client key that belong together",
  ],
  [
    "an encrypted client key",
    { options: requestsClient, clientFiles: { ...filesOf(client), clientKey: encryptedKey() } },
    "Cannot decrypt the client key: no passphrase is set.",
    "KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE",
  ],
  [
    "a certificate as client key",
    { options: requestsClient, clientFiles: { ...filesOf(client), clientKey: client.certificate } },
    "Cannot use the client key: it contains no private key",
    "Use the PEM format",
  ],
];

const handshakeFailures: readonly Failure[] = [
  [
    "a server of TLS 1.0",
    { options: { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT:@SECLEVEL=0" } },
    "The TLS handshake with https://HOST failed: protocol version",
    "enable TLS 1.2 or 1.3",
  ],
  [
    "no common cipher",
    { options: { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0" } },
    "The TLS handshake with https://HOST failed: handshake failure",
    "show what https://HOST accepts: openssl s_client",
  ],
  [
    "a server of HTTP/2",
    { options: { ALPNProtocols: ["h2"] } },
    "The TLS handshake with https://HOST failed: no application protocol",
    "Check that the address in --master is that of a Kubernetes API",
  ],
  [
    "a server that does not know the name",
    { options: { SNICallback: (_name, done) => done(new Error("unknown")) }, host: "localhost" },
    "No response from https://HOST: connection reset",
    networkHint,
  ],
  [
    "HTTPS to a server of plain HTTP",
    { server: () => createHttpServer((_, response) => response.end("x")) },
    "No response from https://HOST: it does not speak TLS; is it an http:// address?",
    "write --master k8s://http://HOST",
  ],
  [
    "HTTP to a server of HTTPS",
    { scheme: "http", mayHaveArrived: true },
    "No response from http://HOST: connection reset",
    "write --master k8s://https://HOST",
  ],
  [
    "a connection that is cut in the handshake",
    { server: () => createSocketServer((socket) => socket.once("data", () => socket.resetAndDestroy())) },
    "No response from https://HOST: connection reset",
    networkHint,
  ],
  [
    "a connection that ends in the handshake",
    { server: () => createSocketServer((socket) => socket.once("data", () => socket.end())) },
    "No response from https://HOST: connection reset",
    networkHint,
  ],
  [
    "a handshake that never ends",
    { server: () => createSocketServer(() => {}) },
    "No response from https://HOST: connection timed out (no connection after 1000 ms)",
    networkHint,
  ],
  [
    "an endless handshake",
    { server: () => createSocketServer(sendEndlessly) },
    "No response from https://HOST: connection timed out (no connection after 1000 ms)",
    networkHint,
  ],
  [
    "a server of another protocol",
    { server: () => createSocketServer((socket) => socket.write(Buffer.alloc(100_000, 0x16))) },
    "No response from https://HOST: it does not speak TLS",
    "write --master k8s://http://HOST",
  ],
];

test.each([...serverFailures, ...clientFailures, ...handshakeFailures])(
  "a submission reports %s once, with a hint, and sends no request",
  async (_, scenario, error, hint) => {
    const { exit, stderr, host, requests } = await submit(scenario);
    const errors = stderr.split("\n").filter((line) => line.startsWith("Error: "));
    const hints = stderr.split("\n").filter((line) => line.startsWith("Hint: "));
    expect([exit, errors, hints, requests]).toEqual([
      1,
      [
        expect.stringContaining(error.replaceAll("HOST", host)),
        ...(scenario.mayHaveArrived !== true
          ? []
          : [expect.stringContaining("Not cleaned up: these objects may still exist")]),
      ],
      [expect.stringContaining(hint.replaceAll("HOST", host))],
      [],
    ]);
    expect(stderr).not.toMatch(/^ +at |KEY-----/m);
  },
);

test.each<[string, Scenario]>([
  ["a certificate of the authority", {}],
  [
    "an intermediate certificate that the server sends",
    { options: { cert: behindIntermediate.certificate + intermediate.certificate, key: behindIntermediate.key } },
  ],
  ["a client certificate", { options: requestsClient, clientFiles: filesOf(client) }],
])("a submission connects with %s", async (_, scenario) => {
  expect((await submit(scenario)).requests).not.toEqual([]);
});

/** Sends parts of a message that never ends. */
function sendEndlessly(socket: Socket): void {
  const record = Buffer.concat([Buffer.from([0x16, 3, 3, 0x40, 0]), Buffer.alloc(0x4000, 0)]);
  const writeMore = () => {
    while (!socket.destroyed) if (!socket.write(record)) return;
  };
  socket.on("drain", writeMore);
  writeMore();
}

function issued(more: Partial<Parameters<typeof issueCertificate>[0]>): ServerOptions {
  const { certificate, key } = issueCertificate({ name: "server", names, issuer: authority, ...more });
  return { cert: certificate, key };
}

function encryptedKey(): string {
  return String(
    client.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "opensesame" }),
  );
}

function rsaKey(modulusLength: number) {
  return generateKeyPairSync("rsa", { modulusLength }).privateKey;
}
