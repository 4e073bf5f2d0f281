import { createServer } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { createServer as createSocketServer, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { nodeHost } from "../host/node-host.ts";
import { testHost } from "../host/test-host.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { UserAccess } from "./auth/user-access.ts";
import { connect } from "./connect.ts";
import { networkError } from "./network-error.ts";
import { kubectlBehaviors, sparkBehaviors } from "./test-behaviors.ts";
import { encryptedTestKey, loopbackCertificate, oldCertificate, testCertificate, testKey } from "./test-certificate.ts";
import { testServers } from "./test-servers.ts";

const { listen, closeLater, closeAll } = testServers();
afterEach(closeAll);

/** @returns host and port */
const addressOf = async (server: Server) => `127.0.0.1:${await listen(server)}`;

const files = {
  "/ca": loopbackCertificate,
  "/test-ca": testCertificate,
  "/old": oldCertificate,
  "/cert": loopbackCertificate,
  "/key": testKey,
  "/encrypted": encryptedTestKey,
};

/** Reports a failed request as a user sees it: code, message and hint. */
async function failureOf(server: string, access: Partial<UserAccess> = {}, env: Record<string, string> = {}) {
  // Sockets take their time, whatever a test's clock says.
  const host = { ...testHost({ files, env }), clock: nodeHost().clock };
  const error = await sendRequest(host, server, access).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return { code: "none", message: "", hint: "" };
  if (!isSubmitError(error)) throw error;
  return { code: error.code, message: error.message, hint: error.issues[0].hint ?? "" };
}

async function sendRequest(host: Host, server: string, access: Partial<UserAccess>): Promise<void> {
  const client = await connect(host, {
    ...{ server, log: () => {}, requestTimeoutMs: 0, connectionTimeoutMs: 0 },
    access: {
      ...{
        kind: "user",
        settingPrefix: "p",
        trustCertificates: false,
        behaviors: kubectlBehaviors,
        caCertFile: "/ca",
      },
      traits: {
        ...{ mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true },
        failingExecPluginStops: false,
      },
      ...access,
    },
  });
  closeLater(client.close);
  await client.get({ type: resourceTypes.pod, namespace: "ns", name: "drv" });
}

const secure = (options: ServerOptions = {}) =>
  addressOf(
    createSecureServer({ cert: loopbackCertificate, key: testKey, ...options }, (_, response) => {
      response.end('{"metadata":{}}');
    }),
  );

describe("a server's certificate", () => {
  test("of a trusted authority and with the right name is accepted", async () => {
    expect((await failureOf(`https://${await secure()}`)).code).toBe("none");
  });

  test.each([
    ["of an unknown authority", { caCertFile: "/test-ca" }, {}, "caCertFile"],
    ["for another name", { caCertFile: "/test-ca" }, { cert: testCertificate }, "tls-server-name"],
    ["that has expired", { caCertFile: "/old" }, { cert: oldCertificate }, "clock of this machine"],
  ])("%s is rejected with a hint", async (_, access, options, advice) => {
    const { code, hint } = await failureOf(`https://${await secure(options)}`, access);
    expect(code).toBe("SUBMIT_ERR_KUBE_CERTIFICATE");
    expect(hint).toContain(advice);
  });
});

describe("a client certificate", () => {
  const own = { clientCertFile: "/cert", clientKeyFile: "/key" };
  const clientCertificateRequest = { requestCert: true, rejectUnauthorized: true } as const;

  test("that the server accepts authenticates the client", async () => {
    expect(
      (await failureOf(`https://${await secure({ ...clientCertificateRequest, ca: loopbackCertificate })}`, own)).code,
    ).toBe("none");
  });

  // Node 20's messages, recorded with openssl s_server: Node's own servers cannot cause these failures.
  test.each([
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "", "certificate required"],
    ["ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED", "", "certificate expired"],
    [
      "EPROTO",
      "write EPROTO 808C:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:../deps/x.c:1601:SSL alert number 48\n",
      "unknown ca",
    ],
  ])("that the server rejects with %s %s is reported", (code, message, reason) => {
    const error = networkError(Object.assign(new Error(message), { code }), "https://api:6443");
    expect(error.code).toBe("SUBMIT_ERR_KUBE_CLIENT_CERTIFICATE");
    expect(error.message).toMatch(new RegExp(`: ${reason}$`));
    expect(error.issues[0].hint).toContain("openssl x509");
  });

  test("with an encrypted key needs the pass phrase", async () => {
    const server = `https://${await secure({ ...clientCertificateRequest, ca: loopbackCertificate })}`;
    const encrypted = { ...own, clientKeyFile: "/encrypted" };
    const none = await failureOf(server, encrypted);
    expect(none).toMatchObject({
      code: "SUBMIT_ERR_KUBE_AUTH_KEY",
      message: "Cannot decrypt the client key: no passphrase is set.",
    });
    expect(none.hint).toContain("KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE");
    const wrong = await failureOf(server, encrypted, { KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE: "s3cret" });
    expect(wrong.message).toBe("Cannot decrypt the client key: the passphrase is wrong.");
    const right = { KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE: "opensesame" };
    expect((await failureOf(server, encrypted, right)).code).toBe("none");
  });

  test.each(["none", "", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])(
    "reports that the authority %j is not a certificate",
    async (content) => {
      const host = testHost({ files: { "/broken": content } });
      const server = `https://${await secure()}`;
      const failed = sendRequest({ ...host, clock: nodeHost().clock }, server, { caCertFile: "/broken" });
      await expect(failed).rejects.toMatchObject({
        code: "SUBMIT_ERR_KUBE_AUTH_PEM",
        message: expect.stringMatching("^An error has occurred. Cannot use the certificate authority: ."),
      });
    },
  );

  test("needs its key, and a key its certificate", async () => {
    const server = `https://${await secure()}`;
    expect(await failureOf(server, { clientCertFile: "/cert" })).toMatchObject({
      code: "SUBMIT_ERR_KUBE_AUTH_PEM",
      message: "An error has occurred. Cannot use the client certificate: there is no client key to it",
    });
    expect((await failureOf(server, { clientKeyFile: "/key" })).message).toContain("no client certificate to it");
    expect((await failureOf(server, { clientCertFile: "/cert", behaviors: sparkBehaviors })).code).toBe("none");
  });
});

describe("the wrong scheme", () => {
  test("https to a server without encryption is reported", async () => {
    const { message } = await failureOf(`https://${await addressOf(createServer())}`);
    expect(message).toContain("is it an http:// address?");
  });

  test("http to a server that closes the connection is reported", async () => {
    const server = createSocketServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const { message, hint } = await failureOf(`http://${await addressOf(server)}`);
    expect(message).toMatch(/connection reset .*; is it an https:\/\/ address\?$/);
    expect(hint).toContain("--master k8s://https://127.0.0.1:");
  });

  test("http to a Kubernetes API with TLS is reported", async () => {
    const expected = "Client sent an HTTP request to an HTTPS server.";
    const response = `HTTP/1.0 400 Bad Request\r\n\r\n${expected}\n`;
    const server = createSocketServer((socket) => socket.once("data", () => socket.end(response)));
    const { message, hint } = await failureOf(`http://${await addressOf(server)}`);
    expect(message).toContain(expected);
    expect(hint).toContain("k8s://https://");
  });
});

// Node's and OpenSSL's messages: Node's own servers cannot cause these failures.
test.each([
  ["ERR_SSL_UNSUPPORTED_PROTOCOL", "SUBMIT_ERR_KUBE_HANDSHAKE", "failed: unsupported protocol", "TLS 1.2 or 1.3"],
  [
    "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
    "SUBMIT_ERR_KUBE_HANDSHAKE",
    "failed: tlsv1 unrecognized name",
    "openssl s_client",
  ],
  ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", "SUBMIT_ERR_KUBE_HANDSHAKE", "failed: internal error", "openssl s_client"],
  ["INVALID_CA", "SUBMIT_ERR_KUBE_CERTIFICATE", "is not trusted: ", "caCertFile"],
  ["CERT_REVOKED", "SUBMIT_ERR_KUBE_CERTIFICATE", "is not trusted: ", "caCertFile"],
])("a handshake that fails with %s is reported", (code, expected, message, hint) => {
  const error = networkError(Object.assign(new Error(""), { code }), "https://api:6443");
  expect(error).toMatchObject({ code: expected, message: expect.stringContaining(message) });
  expect(error.issues[0].hint).toContain(hint);
});
