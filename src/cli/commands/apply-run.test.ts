import { expect, test } from "vitest";
import { readApplied } from "../../applications/applied-application.ts";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, testApi } from "../../kube-client/test-api.ts";
import { parseFileArguments } from "../applications/cluster-options.ts";
import { applyRun } from "./apply.ts";

const document = {
  ...{ name: "job", app: "local:///job.py", image: "spark:4.3.0" },
  conf: { "spark.kubernetes.submission.waitAppCompletion": false },
};

/** Applies an application whose driver fails with exit code 3. */
async function apply(clusterEnds: boolean) {
  const host = testHost();
  const application = readApplied({ file: "job.yaml", document }, { options: {}, reservedKeys: "reject" });
  if (application.kind !== "application") throw new Error("not an application");
  const api = testApi(({ method, path }) => {
    const driver = api.objects.get("/api/v1/namespaces/default/pods/job-driver");
    if (driver === undefined || method !== "GET") return undefined;
    const name = "spark-kubernetes-driver";
    const status = { phase: "Failed", containerStatuses: [{ name, state: { terminated: { exitCode: 3 } } }] };
    const object = { ...driver, status };
    if (path.includes("watch="))
      return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object })}\n`) };
    if (path.includes("/log?")) return { status: 200, body: "" };
    return path.includes("pods/job-driver") ? { status: 200, body: object } : undefined;
  });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: undefined },
    });
  const parsed = parseFileArguments(["-f", "job.yaml"], { command: "apply", flags: ["--wait", "--watch", "--json"] });
  const overrides = { fields: { master: "k8s://https://h" }, settings: [], verbose: false };
  const openEmbedded = () => Promise.reject(new Error("no embedded cluster"));
  const run = { host, client: await openClient(), application, overrides, openEmbedded, openClient };
  const code = await host.settle(applyRun(run, { parsed, clusterEnds: () => clusterEnds }));
  return { code, out: host.outText(), error: host.errorText() };
}

test("waits for a driver that would end with the cluster of the command", async () => {
  const { code, out, error } = await apply(true);
  expect(error).toContain("Waiting for the driver: the embedded cluster runs inside this command");
  expect([code, out]).toEqual([3, "job.yaml: job created\n"]);
});

test("does not wait for a driver of another cluster", async () => {
  const { code, out, error } = await apply(false);
  expect([code, out, error.includes("Waiting")]).toEqual([0, "job.yaml: job created\n", false]);
});
