import { createServer, type IncomingMessage, type Server } from "node:http";
import { onTestFinished } from "vitest";

/** Characters that must not reach a terminal, except in the log of a pod. */
export const invisible = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Lines that imitate those of Firesteel, Spark and tools. */
export const forgedLine =
  /^\s?(?:(?:Error|Hint): FORGED|Application report|26\/01\/02)|^\t (?:exit code: 0|pod name: FORGED)/m;

/** Text of an attacker: terminal sequences, bidirectional overrides and forged lines. */
export const hostileText = [
  "start \u001b]0;title\u0007\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\ \u009b2J\u007f\r\b over",
  "Error: FORGED error",
  "Hint: FORGED hint",
  "26/01/02 03:04:05 INFO FORGED: line\u2028\u2029\u0085",
  "Application report for FORGED",
  "\t pod name: FORGED-abc-driver",
  "\t exit code: 0 FORGED \u202etxt.exe\u202c \u2066\u2069\u200f\u061c end",
].join("\n");

/** Bytes of a pod's log: no valid UTF-8, and control characters. */
export const hostileLog = Buffer.concat([
  Buffer.from(`\u001b[31mred\u001b[0m\r\u009b\u202e`),
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  Buffer.from("\nlast"),
]);

/** Starts a server on a local port. @returns its URL */
export function listen(server: Server): Promise<string> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

/** Starts an API whose texts are hostile. It has a failed driver, `ns:drv`, and rejects every change. */
export function startHostileApi(text: string): Promise<string> {
  const driver = hostileDriver(text);
  const event = {
    ...{ metadata: { name: "e", namespace: "ns" }, reason: "FailedMount", message: text, type: "Warning" },
    ...{ involvedObject: { kind: "Pod", name: "drv", namespace: "ns", uid: "u" }, source: { component: text } },
    lastTimestamp: "2026-01-01T00:00:00Z",
  };
  const configMap = {
    metadata: {
      ...{ name: text, namespace: "ns", uid: "c", creationTimestamp: "2025-01-01T00:00:00Z" },
      ...{ labels: { "spark-app-selector": "spark-1" }, managedFields: [{ manager: "firesteel", operation: "Apply" }] },
    },
  };
  const respond = ({ method, url = "" }: IncomingMessage): { status: number; body: object | Buffer } => {
    const list = (items: readonly object[]) => ({
      status: 200,
      body: { kind: "List", metadata: { resourceVersion: "1" }, items },
    });
    if (method !== "GET") {
      const status = { kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: text };
      return { status: 403, body: status };
    }
    if (url.includes("/log?")) {
      const lines = hostileLog.toString("latin1").split("\n");
      const stamped = lines.map((line) => `2026-01-01T00:00:00Z ${line}`).join("\n");
      return { status: 200, body: Buffer.from(stamped, "latin1") };
    }
    if (url.includes("watch=")) {
      const object = url.includes("/pods?") ? { type: "ADDED", object: driver } : { type: "BOOKMARK", object: driver };
      return { status: 200, body: Buffer.from(`${JSON.stringify(object)}\n`) };
    }
    if (url.includes("/pods/drv")) return { status: 200, body: driver };
    if (url.includes("/pods?") || url.endsWith("/pods")) return list([driver]);
    if (url.includes("/events")) return list([event]);
    if (url.includes("/configmaps?")) return list([configMap]);
    return list([]);
  };
  return listen(
    createServer((request, response) => {
      const { status, body } = respond(request);
      request.resume();
      response.writeHead(status, { "content-type": "application/json" });
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    }),
  );
}

function hostileDriver(text: string): object {
  const terminated = { exitCode: 3, reason: text, message: text, startedAt: text, finishedAt: text };
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: "drv", namespace: "ns", uid: "u", resourceVersion: "5", creationTimestamp: text },
      labels: { "spark-role": "driver", "spark-app-selector": "spark-1", "spark-app-name": text, [text]: text },
      annotations: { [text]: text },
    },
    spec: {
      ...{ nodeName: text, serviceAccountName: text, volumes: [{ name: text }] },
      containers: [{ name: "spark-kubernetes-driver", image: text }],
    },
    status: {
      ...{ phase: "Failed", reason: text, message: text, startTime: text },
      conditions: [{ type: "PodScheduled", status: "False", reason: text, message: text }],
      containerStatuses: [{ name: "spark-kubernetes-driver", image: text, restartCount: 0, state: { terminated } }],
    },
  };
}
