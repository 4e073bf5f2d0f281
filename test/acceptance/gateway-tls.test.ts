import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { issueCertificate, type TestCertificate } from "./issue-certificate.ts";
import { temporaryDirectory } from "./programs.ts";
import { authority, names, server } from "./tls-submission.ts";

const clients = issueCertificate({ name: "clients", isAuthority: true });
const alice = issueCertificate({ name: "alice", issuer: clients });
const stranger = issueCertificate({ name: "alice", issuer: authority });

test("a gateway with authorities of clients serves users with a certificate, and health checks", async () => {
  const files = tlsFiles();
  const { url } = await startGateway(
    ...files.options,
    "--tls-client-ca",
    files.put("clients.pem", clients.certificate),
  );
  expect(url).toMatch(/^https:/);
  expect((await send(url, "GET", "/batches", { client: alice })).status).toBe(200);
  expect((await send(url, "GET", "/batches")).status).toBe(401);
  expect((await send(url, "GET", "/batches", { client: stranger })).status).toBe(401);
  expect((await send(url, "GET", "/healthz")).status).toBe(200);
  const created = await send(url, "POST", "/batches", {
    ...{ client: alice, body: { file: "local:///opt/app.jar", className: "Main" } },
  });
  expect([created.status, JSON.parse(created.text).owner]).toEqual([201, "alice"]);
});

test("a gateway uses a new certificate without a restart", async () => {
  const files = tlsFiles();
  const { url } = await startGateway(...files.options);
  expect((await send(url, "GET", "/version")).certificate).toBe("server");
  const next = issueCertificate({ name: "next", names, issuer: authority });
  files.put("key.pem", next.key);
  files.put("cert.pem", next.certificate);
  await expect
    .poll(async () => (await send(url, "GET", "/version")).certificate, { timeout: 20_000, interval: 250 })
    .toBe("next");
}, 60_000);

test("a gateway does not start with an empty key", async () => {
  const files = tlsFiles();
  files.put("key.pem", "");
  await expect(startGateway(...files.options)).rejects.toThrow(/The gateway cannot start: Key PEM file .*is empty/);
});

function tlsFiles() {
  const directory = temporaryDirectory();
  const put = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const options = ["--tls-cert", put("cert.pem", server.certificate), "--tls-key", put("key.pem", server.key)];
  return { options, put };
}

interface SendOptions {
  readonly client?: TestCertificate;
  readonly body?: object;
}

/** Sends a request over a new connection. Returns also the name in the server's certificate. */
function send(
  url: string,
  method: string,
  path: string,
  { client, body }: SendOptions = {},
): Promise<{ readonly status: number | undefined; readonly text: string; readonly certificate: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      ...{ method, agent: false, ca: authority.certificate },
      ...(client !== undefined && { cert: client.certificate, key: client.key }),
      headers: { "content-type": "application/json" },
    });
    let certificate = "";
    sent.on("socket", (socket) =>
      socket.on("secureConnect", () => {
        if ("getPeerCertificate" in socket && typeof socket.getPeerCertificate === "function")
          certificate = String(socket.getPeerCertificate().subject.CN);
      }),
    );
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, text, certificate }));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
