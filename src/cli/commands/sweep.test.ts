import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { main } from "../main.ts";
import { runSweepCommand } from "./sweep.ts";

const kubeconfig = `current-context: a
contexts: [{name: a, context: {cluster: c}}]
clusters: [{name: c, cluster: {server: "https://h:6443"}}]`;

async function sweep(args: readonly string[]) {
  const host = testHost({ files: { "/home/tester/.kube/config": kubeconfig } });
  const api = testApi(() => ({ status: 200, body: { items: [] } }));
  const servers: string[] = [];
  const code = await runSweepCommand(host, args, async (_host, { server }) => {
    servers.push(server);
    return kubeClient({
      ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: undefined },
    });
  });
  return { code, out: host.outText(), servers, paths: api.requests.map(({ path }) => path) };
}

test("sweeps the cluster of the kubeconfig without a master, in the specified namespace", async () => {
  const { code, out, servers, paths } = await sweep(["--namespace", "jobs", "--dry-run"]);
  expect({ code, out, servers }).toEqual({
    ...{ code: 0, out: "Nothing to sweep in namespace jobs.\n" },
    servers: ["https://h:6443"],
  });
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !path.includes("/namespaces/jobs/"))).toEqual([]);
});

test("reports invalid arguments", async () => {
  const error = async (...argv: string[]) => {
    const host = testHost({ argv });
    expect(await main(host)).toBe(1);
    return host.errorText();
  };
  expect(await error("sweep", "--namespace")).toContain("Missing argument for option '--namespace'.");
  expect(await error("sweep", "everything")).toContain("Unrecognized option: everything");
  expect(await error("sweep", "--older-than", "soon", "--master", "k8s://h")).toContain("--older-than");
});
