import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Pod } from "../../src/kube/types.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { memberOf } from "./staging-program.ts";

/** Fault of a cluster: it hangs, cuts the connection, or responds with this status. */
export type ClusterFault = "hang" | "cut" | number;

/** The part of a cluster that a staging server queries, with the objects that a test adds. */
export interface FakeCluster {
  readonly port: number;
  /** Options of a server that asks this cluster. */
  readonly options: readonly string[];
  /** File with the server's own token. */
  readonly tokenFile: string;
  /** User names by token. */
  readonly users: Map<string, string>;
  /** Permissions to create pods, as `user namespace`. */
  readonly permissions: Set<string>;
  /** Pods by namespace. Other namespaces do not exist. */
  readonly pods: Map<string, Pod[]>;
  /** Faults by namespace; `*` affects all requests including reviews. */
  readonly faults: Map<string, ClusterFault>;
  /** Received requests: `METHOD path?query`. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
  /** Returns how often the pods of a namespace were listed. */
  readonly lists: (namespace: string) => number;
  /** Stops or restarts the server. */
  readonly setDown: (isDown: boolean) => Promise<void>;
}

/** Opens an empty cluster. */
export async function openFakeCluster(): Promise<FakeCluster> {
  const tokenFile = join(temporaryDirectory(), "token");
  writeFileSync(tokenFile, "of-the-server");
  const state = {
    users: new Map<string, string>(),
    permissions: new Set<string>(),
    pods: new Map<string, Pod[]>(),
    faults: new Map<string, ClusterFault>(),
    requests: [] as { line: string; authorization: string | undefined }[],
  };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    void respond(state, request, response);
  };
  let server = createServer(take);
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server.listen(port, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" ? (address?.port ?? 0) : 0);
      });
    });
  const port = await listen(0);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return {
    ...{ ...state, port, tokenFile },
    options: ["--api-server", `http://127.0.0.1:${port}`, "--api-token-file", tokenFile],
    lists: (namespace) =>
      state.requests.filter(({ line }) => line.startsWith(`GET /api/v1/namespaces/${namespace}/pods`)).length,
    async setDown(isDown) {
      close();
      if (isDown) return;
      server = createServer(take);
      await listen(port);
    },
  };
}

type State = Pick<FakeCluster, "users" | "permissions" | "pods" | "faults" | "requests">;

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = "", headers } = request;
  state.requests.push({ line: `${method} ${url}`, authorization: headers.authorization });
  const [, namespace = ""] = /^\/api\/v1\/namespaces\/([^/?]+)/.exec(url) ?? [];
  const fault = state.faults.get("*") ?? state.faults.get(namespace);
  if (fault === "hang") return;
  if (fault === "cut") request.socket.destroy();
  else if (fault !== undefined) send(response, fault, status(fault));
  else if (namespace !== "") respondAboutNamespace(state, { url, namespace }, response);
  else {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    send(response, 201, review(state, JSON.parse(Buffer.concat(chunks).toString())));
  }
}

function respondAboutNamespace(
  { pods }: State,
  { url, namespace }: { readonly url: string; readonly namespace: string },
  response: ServerResponse,
): void {
  const there = pods.get(namespace);
  const metadata = { name: namespace, resourceVersion: "1" };
  if (!url.includes("/pods")) {
    const found = there === undefined ? status(404) : { kind: "Namespace", apiVersion: "v1", metadata };
    send(response, there === undefined ? 404 : 200, found);
    return;
  }
  const selector = new URL(url, "http://x").searchParams.get("labelSelector");
  const terms = (selector ?? "").split(",").filter((term) => term !== "");
  const items = (there ?? []).filter((pod) =>
    terms.every((term) => pod.metadata?.labels?.[term.split("=")[0] ?? ""] === term.split("=")[1]),
  );
  send(response, 200, { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items });
}

function review({ users, permissions }: State, object: unknown): unknown {
  const spec = memberOf(object, "spec");
  const token = memberOf(spec, "token");
  if (memberOf(object, "kind") === "TokenReview") {
    const username = users.get(String(token));
    const known = username === undefined ? {} : { user: { username, groups: ["system:authenticated"] } };
    return { ...Object(object), status: { authenticated: username !== undefined, ...known } };
  }
  const about = memberOf(spec, "resourceAttributes");
  const isAboutPods = memberOf(about, "verb") === "create" && memberOf(about, "resource") === "pods";
  const allowed = isAboutPods && permissions.has(`${memberOf(spec, "user")} ${memberOf(about, "namespace")}`);
  return { ...Object(object), status: { allowed } };
}

function status(code: number): unknown {
  const reason = code === 404 ? "NotFound" : code === 403 ? "Forbidden" : "InternalError";
  return { kind: "Status", apiVersion: "v1", status: "Failure", message: "no", reason, code };
}

function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Builds a driver's pod with the labels that test bundles name. */
export function driverPod(phase: string, change: Readonly<Record<string, string>> = {}, endedMs?: number): Pod {
  const ended =
    endedMs === undefined
      ? {}
      : {
          containerStatuses: [
            {
              ...{ name: "driver", ready: false, restartCount: 0, image: "spark", imageID: "" },
              state: { terminated: { exitCode: 0, finishedAt: new Date(endedMs).toISOString() } },
            },
          ],
        };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "driver", labels: { "spark-role": "driver", "spark-app-selector": "app", ...change } },
    status: { phase, ...ended },
  };
}
