/** @module-tag long */

import fc from "fast-check";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type TestResponse, testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { runAttachCommand } from "./attach.ts";
import { runDiagnoseCommand } from "./diagnose.ts";
import { runSparkSubmit } from "./submit.ts";

const invisible = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** An API that puts a text into every field of a failed driver, of its events and of rejections. */
function hostileApi(text: string) {
  const terminated = { exitCode: 7, reason: text, message: text, startedAt: text };
  const pod = {
    ...{ apiVersion: "v1", kind: "Pod", spec: { nodeName: text, containers: [{ name: "x", image: text }] } },
    metadata: { name: "drv", namespace: "ns", uid: "u", labels: { "spark-role": "driver", "spark-app-name": text } },
    status: {
      ...{ phase: "Failed", reason: text, message: text },
      containerStatuses: [{ name: "x", image: text, restartCount: 0, state: { terminated } }],
    },
  };
  const involvedObject = { kind: "Pod", name: "drv", namespace: "ns", uid: "u" };
  const event = { metadata: { name: "e", namespace: "ns" }, reason: "FailedMount", message: text, involvedObject };
  return testApi(({ method, path }): TestResponse => {
    if (method !== "GET") return { status: 422, body: { kind: "Status", code: 422, message: text } };
    if (path.includes("watch=")) {
      return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object: pod })}\n`) };
    }
    if (path.includes("/log?")) return { status: 200, body: `2026-01-01T00:00:00Z ${text}\n` };
    if (path.includes("/pods/")) return { status: 200, body: pod };
    const items = path.includes("/events?") ? [event] : path.includes("/pods?") ? [pod] : [];
    return { status: 200, body: { metadata: {}, items } };
  });
}

const submission = [
  ...["--master", "k8s://h", "--deploy-mode", "cluster", "--conf", "spark.kubernetes.container.image=i"],
  ...["--class", "X", "local:///a.jar"],
];
const target = ["drv", "--master", "k8s://h", "--namespace", "ns"];

test.each([
  ["attach", runAttachCommand, target],
  ["diagnose", runDiagnoseCommand, target],
  ["diagnose --json", runDiagnoseCommand, [...target, "--json"]],
  ["submit", (host, _, openClient) => runSparkSubmit(host, openClient), submission],
] as const satisfies readonly (readonly [string, typeof runAttachCommand, readonly string[]])[])(
  "%s prints no invisible character of any text, and each line of it indented",
  async (_, command, args) => {
    const hostile = fc.string({
      unit: fc.constantFrom("\u001b[2J", "\u009d", "\r", "\n", "\n26/", "\u202e", "é", "a "),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostile, fc.string({ unit: "binary" })), async (text) => {
        const host = testHost({ argv: args });
        const { transport } = hostileApi(text);
        const openClient: OpenClient = async (_, { log, requestTimeoutMs, server }) =>
          kubeClient({ transport, server, clock: host.clock, log, requestTimeoutMs, defaultNamespace: "ns" });
        await host.settle(command(host, args, openClient).catch(() => 1));
        expect(host.outText() + host.errorText()).not.toMatch(invisible);
        // Times of log lines are those of the test's clock.
        expect(host.errorText()).not.toMatch(/^26\/(?!01\/0)/m);
      }),
      { numRuns: 25 },
    );
  },
);
