import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { runDeleteCommand } from "./delete.ts";
import { applicationText } from "./test-application.ts";

/** Deletes the runs of a schedule. */
async function deleteRuns(names: readonly string[], ...options: readonly string[]) {
  const [head = "", spec = ""] = applicationText().replace("kind: Spark", "kind: ScheduledSpark").split("spec:\n");
  const text = `${head}spec:\n  schedule: "@daily"\n  template:\n${spec.replace(/^(?=.)/gm, "  ")}`;
  const host = testHost({ files: { "/w/s.yaml": text }, cwd: "/w" });
  const pods = names.map((name) => {
    const record = { application: name, digest: "", submissionAttempts: 1, executionAttempts: 1 };
    const annotations = { "firesteel.dev/application": JSON.stringify(record) };
    return { metadata: { name: `${name}-driver`, namespace: "jobs", annotations }, spec: { containers: [] } };
  });
  const api = testApi(({ method, path }) => {
    if (method === "DELETE") return { status: 200, body: {} };
    return { status: 200, body: { metadata: {}, items: path.includes("labelSelector") ? pods : [] } };
  });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const exit = await host.settle(
    runDeleteCommand(host, ["-f", "s.yaml", "--master", "k8s://https://h", ...options], openClient),
  );
  return [exit, host.outText()];
}

test("firesteel delete counts the runs of a schedule", async () => {
  expect(await deleteRuns(["pi-1"])).toEqual([0, "s.yaml: 1 run of pi deleted\n"]);
  expect(await deleteRuns(["pi-1", "pi-2"])).toEqual([0, "s.yaml: 2 runs of pi deleted\n"]);
});

test("firesteel delete fails for a schedule without runs, unless --ignore-not-found", async () => {
  expect(await deleteRuns([])).toEqual([1, "s.yaml: no run of pi found\n"]);
  expect(await deleteRuns([], "--ignore-not-found")).toEqual([0, "s.yaml: no run of pi found\n"]);
});
