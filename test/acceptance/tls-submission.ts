import { writeFileSync } from "node:fs";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import type { Server } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { issueCertificate } from "./issue-certificate.ts";
import { run, temporaryDirectory } from "./programs.ts";

/** Authority that submissions trust. */
export const authority = issueCertificate({ name: "authority", isAuthority: true });
/** Names in the certificates of servers. */
export const names = ["localhost", "127.0.0.1"];
/** Certificate of servers by default. */
export const server = issueCertificate({ name: "server", names, issuer: authority });

/** Starts a server on a local port. @returns its port */
export function listen(started: Server): Promise<number> {
  const sockets = new Set<{ destroy: () => void }>();
  started.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    started.close();
  });
  return new Promise((resolve) => {
    started.listen(0, "127.0.0.1", () => {
      const address = started.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** A server and the client that submits to it. */
export interface Scenario {
  /** Whether the client cannot know that the server received no request, e.g. with TLS 1.3 before the server's last message. */
  readonly mayHaveArrived?: true;
  readonly options?: ServerOptions;
  /** @default an HTTPS server with `options` */
  readonly server?: () => Server;
  /** @default https://127.0.0.1 */
  readonly scheme?: string;
  readonly host?: string;
  /** Content of the file of the trusted authority. `undefined`: there is no file. */
  readonly ca?: string | undefined;
  readonly clientFiles?: Readonly<Record<"clientCert" | "clientKey", string>>;
}

/** Submits to a server. @returns the end of the client, and the requests that the server received */
export async function submit({ scheme = "https", host = "127.0.0.1", ...scenario }: Scenario) {
  const requests: string[] = [];
  const options = { cert: server.certificate, key: server.key, ...scenario.options };
  const port = await listen(
    scenario.server?.() ??
      createHttpsServer(options, ({ method, url }, response) => {
        requests.push(`${method} ${url}`);
        response.writeHead(404).end();
      }),
  );
  const directory = temporaryDirectory();
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const ca = "ca" in scenario ? scenario.ca : authority.certificate;
  const settings = {
    "spark.kubernetes.container.image": "spark:4.3.0",
    "spark.kubernetes.authenticate.submission.caCertFile": ca === undefined ? "/nowhere/ca.crt" : file("ca", ca),
    ...(scenario.clientFiles && {
      "spark.kubernetes.authenticate.submission.clientCertFile": file("cert", scenario.clientFiles.clientCert),
      "spark.kubernetes.authenticate.submission.clientKeyFile": file("key", scenario.clientFiles.clientKey),
    }),
  };
  const ended = await run("spark-submit", [
    ...["--master", `k8s://${scheme}://${host}:${port}`, "--deploy-mode", "cluster", "--class", "org.example.Main"],
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...["--conf", "spark.kubernetes.submission.connectionTimeout=1000"],
    "local:///opt/app/app.jar",
  ]);
  return { ...ended, host: `${host}:${port}`, requests };
}
