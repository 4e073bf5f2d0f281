import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readText } from "../../src/kube-client/lines.ts";
import { testCertificate, testKey } from "../../src/kube-client/test-certificate.ts";
import { temporaryDirectory } from "./programs.ts";

/** API over TLS that accepts every object. */
export interface AcceptingApi {
  /** URL. */
  readonly server: string;
  /** Path of a kubeconfig for it, as kubectl would write it. */
  readonly kubeconfig: string;
  /** `METHOD /path`, without query. */
  readonly requests: readonly string[];
  /** Number of connections opened so far. */
  readonly connections: () => number;
}

/** Starts the API for one test. */
export async function startAcceptingApi(): Promise<AcceptingApi> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer({ cert: testCertificate, key: testKey }, async (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    const object = JSON.parse((await readText(request, 1e6)) ?? "");
    object.metadata.uid = "00000000-0000-4000-8000-000000000001";
    response.writeHead(201).end(JSON.stringify(object));
  });
  server.on("secureConnection", () => {
    connections += 1;
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
  return { server: url, kubeconfig: writeKubeconfig(url), requests, connections: () => connections };
}

function writeKubeconfig(server: string): string {
  const path = join(temporaryDirectory(), "kubeconfig");
  const authority = Buffer.from(testCertificate).toString("base64");
  writeFileSync(
    path,
    `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${authority}
    server: ${server}
    tls-server-name: inside.test
  name: one
contexts:
- context:
    cluster: one
    user: me
  name: here
current-context: here
kind: Config
preferences: {}
users:
- name: me
  user:
    token: s3cret
`,
  );
  return path;
}
