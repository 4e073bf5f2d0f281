import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { nodeHost } from "../host/node-host.ts";
import { resourceTypes } from "../kube/resources.ts";
import { kubectlBehaviors } from "./auth/access-behaviors.ts";
import { connect } from "./connect.ts";
import { loopbackCertificate, testCertificate, testKey } from "./test-certificate.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts an API over TLS that accepts some accounts, and records the account of each request. */
async function startApi(accepts: (account: string) => boolean) {
  const accounts: string[] = [];
  const authorities = [testCertificate, loopbackCertificate];
  const options = { cert: loopbackCertificate, key: testKey, ca: authorities, requestCert: true };
  const server = createServer({ ...options, rejectUnauthorized: false }, (request, response) => {
    const account = request.headers.authorization ?? nameOf(request.socket);
    accounts.push(account);
    const isIn = accepts(account);
    response.writeHead(isIn ? 200 : 401).end(JSON.stringify({ kind: isIn ? "Pod" : "Status", metadata: {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { accounts, url: `https://127.0.0.1:${Object(server.address()).port}` };
}

function nameOf(socket: object): string {
  if (!(socket instanceof TLSSocket)) throw new Error("the connection is not encrypted");
  return String(socket.getPeerCertificate().subject?.CN ?? "nobody");
}

/** A client whose kubeconfig names a shell script beside it. */
async function clientWith(server: string, script: string) {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-programs-"));
  closing.push(() => rmSync(directory, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write("cert.pem", testCertificate);
  write("key.pem", testKey);
  write("plugin", `#!/bin/sh\ncd "$(dirname "$0")"\necho run >> runs\n${script}`);
  chmodSync(join(directory, "plugin"), 0o755);
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "./plugin",
    interactiveMode: "Never",
  };
  const authority = Buffer.from(loopbackCertificate).toString("base64");
  const kubeconfig = {
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { "certificate-authority-data": authority } }],
    users: [{ name: "u", user: { exec } }],
  };
  write("config", JSON.stringify(kubeconfig));
  const env = { PATH: process.env["PATH"], KUBECONFIG: join(directory, "config") };
  const client = await connect(
    { ...nodeHost(), env },
    {
      ...{ server, log: () => {}, requestTimeoutMs: 20_000, connectionTimeoutMs: 20_000 },
      access: {
        ...{ kind: "user", settingPrefix: "p", trustCertificates: false, behaviors: kubectlBehaviors },
        traits: {
          ...{ mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true },
          failingExecPluginStops: false,
        },
      },
    },
  );
  closing.push(client.close);
  return {
    get: () => client.get({ type: resourceTypes.pod, namespace: "ns", name: "drv" }),
    runs: () => readFileSync(join(directory, "runs"), "utf8").split("\n").length - 1,
  };
}

const execCredential = (status: string) =>
  `printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}'`;

describe("a program of a kubeconfig, over TLS", () => {
  test("runs once for several calls, and again when its token is rejected", async () => {
    let good = "Bearer t1";
    const { accounts, url } = await startApi((account) => account === good);
    const { get, runs } = await clientWith(url, `${execCredential('{"token":"t%d"}')} "$(wc -l < runs)"`);
    await get();
    await get();
    expect(runs()).toBe(1);
    good = "Bearer t2";
    await Promise.all([get(), get()]);
    expect(runs()).toBe(2);
    good = "no account";
    await expect(get()).rejects.toMatchObject({ code: "SUBMIT_ERR_KUBE_UNAUTHORIZED" });
    expect(runs()).toBe(3);
    expect(accounts.slice(-2)).toEqual(["Bearer t2", "Bearer t3"]);
  });

  test("opens new connections when it returns a certificate instead of a token", async () => {
    let isTokenGood = true;
    const { accounts, url } = await startApi((account) => account === "test" || isTokenGood);
    const pem = (file: string) => `"$(awk '{printf "%s\\\\\\\\n", $0}' ${file})"`;
    const certificate = `${execCredential('{"clientCertificateData":"%b","clientKeyData":"%b"}')} ${pem("cert.pem")} ${pem("key.pem")}`;
    const { get } = await clientWith(
      url,
      `if [ "$(wc -l < runs)" -lt 2 ]; then ${execCredential('{"token":"t"}')}; else ${certificate}; fi`,
    );
    await get();
    isTokenGood = false;
    await get();
    await get();
    expect(accounts).toEqual(["Bearer t", "Bearer t", "test", "test"]);
  });
});
