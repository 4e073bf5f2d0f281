import { expect, test, vi } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { runApplyCommand } from "./apply.ts";
import { applicationText } from "./test-application.ts";

test("firesteel apply --watch of a schedule ends at a signal, with its exit code and a hint", async () => {
  const [head = "", spec = ""] = applicationText().replace("kind: Spark", "kind: ScheduledSpark").split("spec:\n");
  const text = `${head}spec:\n  schedule: "@daily"\n  template:\n${spec.replace(/^(?=.)/gm, "  ")}`;
  const host = testHost({ files: { "/w/s.yaml": text }, cwd: "/w" });
  const api = testApi(() => ({ status: 200, body: { metadata: {}, items: [] } }));
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const args = ["-f", "s.yaml", "--watch", "--master", "k8s://https://h"];
  const applied = runApplyCommand(host, args, openClient);
  // The command loads the code for schedules when it needs it.
  await vi.waitFor(() => expect(api.requests).toHaveLength(1));
  expect(host.raise("SIGTERM")).toBe(true);
  expect(await host.settle(applied)).toBe(143);
  expect(host.errorText()).toBe(
    "Interrupted; pi starts no more runs.\nHint: Continue: firesteel apply -f s.yaml --watch\n",
  );
});
