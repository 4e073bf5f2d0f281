import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, testApi } from "../../kube-client/test-api.ts";
import { runAttachCommand } from "./attach.ts";

const metadata = { name: "drv", namespace: "ns", uid: "u", labels: { "spark-role": "driver" } };

async function run(args: readonly string[], exitCode: number, env: Readonly<Record<string, string>> = {}) {
  const host = testHost({ env });
  const status = {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ name: "x", state: { terminated: { exitCode } } }],
  };
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "x" }] }, status };
  const api = testApi(({ path }) => {
    if (path.includes("watch=")) {
      return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object: pod })}\n`) };
    }
    return { status: 200, body: path.includes("/log?") ? "2026-01-01T00:00:00Z hello\n" : pod };
  });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "ns" },
    });
  const code = await host.settle(runAttachCommand(host, args, openClient));
  return { code, out: host.outText(), error: host.errorText() };
}

test("returns the driver's exit code, and prints its outcome", async () => {
  const failed = await run(["drv", "--master", "k8s://h"], 3);
  expect(failed.code).toBe(3);
  expect(failed.error).toMatch(
    /\nError: The driver drv failed: exit code 3\nReason: The application exited with code 3\.\n\t Log: hello\nHint: .*\nHint: Read its log: firesteel logs ns:drv --master \S+\n$/,
  );
  expect((await run(["--master", "k8s://h", "ns:drv"], 0)).code).toBe(0);
});

test.each(["", "1"])("prints the lines that tools parse with FIRESTEEL_STRICT=%j", async (strict) => {
  const { error } = await run(["drv", "--master", "k8s://h"], 3, { FIRESTEEL_STRICT: strict });
  expect(error).toMatch(/^\t pod name: drv$/m);
  expect(error).toMatch(/^\t phase: Failed$/m);
  // Airflow takes the last match for the driver's exit code.
  expect([...error.matchAll(/[eE]xit code: (\d+)/g)].at(-1)?.[1]).toBe("3");
  expect(error.includes("Error: The driver drv failed")).toBe(strict === "");
  expect(error).not.toContain("Exception in thread");
});

test("prints the driver's log on stdout with --logs", async () => {
  expect((await run(["drv", "--master", "k8s://h", "--logs", "driver"], 0)).out).toBe("hello\n");
});

test("prints help on stdout", async () => {
  expect((await run(["--help"], 0)).out).toMatch(/^Usage: firesteel attach ID/);
});
