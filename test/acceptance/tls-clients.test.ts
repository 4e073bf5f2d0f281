import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Server } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { issueCertificate } from "./issue-certificate.ts";
import { run, temporaryDirectory } from "./programs.ts";
import { authority, listen, names, server } from "./tls-submission.ts";

const withoutLevel = { ciphers: "DEFAULT:@SECLEVEL=0" } as const;

function secure(options: ServerOptions = {}): () => Server {
  return () =>
    createHttpsServer({ cert: server.certificate, key: server.key, ...options }, (_, response) => response.end());
}

function issued(more: Partial<Parameters<typeof issueCertificate>[0]>): ServerOptions {
  const { certificate, key } = issueCertificate({ name: "server", names, issuer: authority, ...more });
  return { cert: certificate, key };
}

const intermediate = issueCertificate({ name: "intermediate", isAuthority: true, issuer: authority });
const selfSigned = issueCertificate({ name: "self-signed", names });
const requestsClient = { requestCert: true, rejectUnauthorized: true, ca: authority.certificate };

/** Server, reason, and what the client advises. */
const failures: readonly (readonly [string, () => Server, string, string])[] = [
  ["an expired certificate", secure(issued({ days: [-3, -2] })), "certificate has expired", "Compare the clock"],
  [
    "a certificate of the future",
    secure(issued({ days: [2, 3] })),
    "certificate is not yet valid",
    "Compare the clock",
  ],
  [
    "a certificate for another address",
    secure(issued({ names: ["other.test", "10.0.0.1"] })),
    "IP: 127.0.0.1 is not in the cert's list: 10.0.0.1",
    "Use an address of the server that its certificate contains",
  ],
  [
    "a self-signed certificate",
    secure({ cert: selfSigned.certificate, key: selfSigned.key }),
    "self-signed certificate",
    "set NODE_EXTRA_CA_CERTS=FILE.pem",
  ],
  [
    "a missing intermediate certificate",
    secure(issued({ issuer: intermediate })),
    "unable to verify the first certificate",
    "set NODE_EXTRA_CA_CERTS=FILE.pem",
  ],
  [
    "no client certificate",
    secure(requestsClient),
    "the TLS handshake failed: certificate required",
    "client certificates",
  ],
  [
    "TLS 1.0",
    secure({ minVersion: "TLSv1", maxVersion: "TLSv1", ...withoutLevel }),
    "the TLS handshake failed: protocol version",
    "versions of TLS",
  ],
  [
    "plain HTTP",
    () => createHttpServer((_, response) => response.end("x")),
    "it does not speak TLS; is it an http:// address?",
    "Write http://",
  ],
];

/** Runs a client that trusts the authority of the tests. */
async function client(
  program: Parameters<typeof run>[0],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const file = join(temporaryDirectory(), "ca.pem");
  writeFileSync(file, authority.certificate);
  return await run(program, [...args], { env: { NODE_EXTRA_CA_CERTS: file, ...env } });
}

const clients: Readonly<Record<string, (url: string) => ReturnType<typeof client>>> = {
  "a Maven repository": (url) =>
    client("firesteel", ["packages", "resolve", "g:a:1", "--into", temporaryDirectory()], {
      ...{ DEFAULT_ARTIFACT_REPOSITORY: `${url}/`, HOME: temporaryDirectory() },
    }),
  "an S3 server": (url) =>
    client("firesteel", ["staging-server", "--store", "s3://bucket/d", "--s3-endpoint", url, "--port", "0"], {
      ...{ AWS_ACCESS_KEY_ID: "k", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "us-east-1", HOME: temporaryDirectory() },
    }),
  "a YARN resource manager": (url) => {
    const conf = temporaryDirectory();
    mkdirSync(conf, { recursive: true });
    const property = (name: string, value: string) =>
      `<property><name>${name}</name><value>${value}</value></property>`;
    const { host } = new URL(url);
    const properties = [
      property("yarn.http.policy", "HTTPS_ONLY"),
      property("yarn.resourcemanager.webapp.https.address", host),
    ];
    writeFileSync(join(conf, "yarn-site.xml"), `<configuration>${properties.join("")}</configuration>`);
    writeFileSync(join(conf, "core-site.xml"), "<configuration></configuration>");
    return client("spark-submit", ["--master", "yarn", "--kill", "application_1_0001"], { HADOOP_CONF_DIR: conf });
  },
};

describe.each(Object.entries(clients))("%s with", (_, call) => {
  test.each(failures)("%s is reported at once", async (_name, start, reason, advice) => {
    const port = await listen(start());
    const { exit, stdout, stderr } = await call(`https://127.0.0.1:${port}`);
    const output = stdout + stderr;
    expect(exit).toBe(1);
    expect(output).toContain(reason);
    expect(output).toContain(advice);
    expect(output).not.toMatch(/SSL routines|\.c:\d+|\n\s+at /);
  });
});
