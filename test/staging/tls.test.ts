import { writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { type ConnectionOptions, connect } from "node:tls";
import { expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { loopbackCertificate, testCertificate, testKey } from "../../src/kube-client/test-certificate.ts";
import { createAuthority, createServerCertificate } from "../../src/local-cluster/certificates/certificate.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import {
  alone,
  contentOf,
  readResponse,
  type Staging,
  sendRequest,
  someBytes,
  stageBundle,
  startStaging,
  until,
} from "./staging-program.ts";

const authority = createAuthority(nodeHost(), "authority of the test");

/** Creates replaceable files with a key and a certificate. */
function certificateFiles() {
  const directory = temporaryDirectory();
  const [keyFile, certFile, caFile] = [join(directory, "key"), join(directory, "cert"), join(directory, "ca")];
  writeFileSync(caFile, authority.certificatePem);
  const put = (name: string) => {
    const made = createServerCertificate(nodeHost(), { authority, name, names: ["127.0.0.1"] });
    writeFileSync(keyFile, made.privateKeyPem);
    writeFileSync(certFile, made.certificatePem);
  };
  put("first");
  return {
    put,
    caFile,
    certFile,
    keyFile,
    options: ["--tls-key", keyFile, "--tls-cert", certFile, "--tls-reload", "50ms"],
  };
}

/** Returns the common name of the certificate that a new connection receives. Rejects if the handshake fails. */
function nameShown(port: number, more: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca: authority.certificatePem, ...more }, () => {
      const name = String(socket.getPeerCertificate().subject.CN);
      // With TLS 1.3, a rejected client receives the error only after it has sent data.
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      socket.once("data", () => {
        resolve(name);
        socket.destroy();
      });
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
  });
}

const secured = (staging: Staging): Pick<Staging, "sendRequest"> => ({
  sendRequest: (method, path, requestOptions) =>
    sendRequest(staging.port, method, path, { ...requestOptions, authority: authority.certificatePem }),
});

test("T34 new connections get a new certificate, and a running download continues", async () => {
  const files = certificateFiles();
  const staging = await startStaging([...alone, ...files.options]);
  expect(await nameShown(staging.port)).toBe("first");
  const bytes = someBytes(20_000_000);
  const { path, reader } = await stageBundle(secured(staging), bytes);
  const url = { host: "127.0.0.1", port: staging.port, path: `${path}/entries/0`, headers: reader };
  const response = await new Promise<Parameters<typeof readResponse>[0]>((resolve, reject) => {
    get({ ...url, ca: authority.certificatePem }, resolve).on("error", reject);
  });
  response.pause();
  files.put("second");
  await until(async () => ((await nameShown(staging.port)) === "second" ? true : undefined));
  expect(contentOf((await readResponse(response)).body).digest).toBe(contentOf(bytes).digest);
  await expect(staging.sendRequest("GET", "/healthz")).rejects.toThrow();
});

test.each(["half a certificate", ""])("T34 an invalid certificate file changes nothing: %j", async (content) => {
  const files = certificateFiles();
  const staging = await startStaging([...alone, ...files.options]);
  writeFileSync(files.certFile, content);
  let programOutput = "";
  staging.program.child.stdout.on("data", (chunk) => {
    programOutput += chunk;
  });
  await until(() => (programOutput.includes("The new certificate is invalid") ? true : undefined));
  expect(await nameShown(staging.port)).toBe("first");
});

test("T36 clients need a certificate of the configured authority", async () => {
  const files = certificateFiles();
  writeFileSync(files.caFile, testCertificate);
  const options = [...files.options, "--tls-client-auth", "true", "--tls-client-ca", files.caFile];
  const staging = await startStaging([...alone, ...options]);
  await expect(nameShown(staging.port)).rejects.toThrow();
  const other = { key: testKey, cert: loopbackCertificate };
  await expect(nameShown(staging.port, other)).rejects.toThrow();
  expect(await nameShown(staging.port, { key: testKey, cert: testCertificate })).toBe("first");
});
