import { expect, test } from "vitest";
import { readApplied } from "../../applications/applied-application.ts";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type Fault, testApi } from "../../kube-client/test-api.ts";
import { parseFileArguments } from "../applications/cluster-options.ts";
import { applyRun } from "./apply.ts";

const document = {
  ...{ name: "job", app: "local:///job.py", image: "spark:4.3.0" },
  conf: { "spark.kubernetes.submission.waitAppCompletion": false },
};

interface Case {
  readonly clusterEnds?: boolean;
  readonly options?: readonly string[];
  readonly conf?: Readonly<Record<string, unknown>>;
  readonly profile?: Readonly<Record<string, string>>;
  readonly restartPolicy?: object;
  readonly fault?: Fault;
}

/** Applies an application whose driver fails with exit code 3. */
async function apply({ clusterEnds = false, options = [], conf = {}, profile = {}, restartPolicy, fault }: Case) {
  const host = testHost();
  const changed = { ...document, conf: { ...document.conf, ...conf }, ...(restartPolicy && { restartPolicy }) };
  const application = readApplied({ file: "job.yaml", document: changed }, { options: {}, reservedKeys: "reject" });
  if (application.kind !== "application") throw new Error("not an application");
  const api = testApi((request, number) => {
    const { method, path } = request;
    const response = fault?.(request, number);
    if (response !== undefined) return response;
    const driver = api.objects.get("/api/v1/namespaces/default/pods/job-driver");
    if (driver === undefined || method !== "GET") return undefined;
    const name = "spark-kubernetes-driver";
    const status = { phase: "Failed", containerStatuses: [{ name, state: { terminated: { exitCode: 3 } } }] };
    const object = { ...driver, status };
    if (path.includes("watch="))
      return { status: 200, stream: chunks(`${JSON.stringify({ type: "ADDED", object })}\n`) };
    if (path.includes("/log?")) return { status: 200, body: "2026-01-01T00:00:00Z hello\n" };
    return path.includes("pods/job-driver") ? { status: 200, body: object } : undefined;
  });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: undefined },
    });
  const parsed = parseFileArguments(["-f", "job.yaml", ...options], {
    command: "apply",
    flags: ["--wait", "--watch", "--json"],
  });
  const settings = Object.entries(profile).map(([key, value]) => ({ key, value, origin: { kind: "conf" as const } }));
  const overrides = { fields: { master: "k8s://https://h" }, settings: [], profile: settings, verbose: false };
  const openEmbedded = () => Promise.reject(new Error("no embedded cluster"));
  const run = { host, client: await openClient(), application, overrides, openEmbedded, openClient };
  const code = await host.settle(applyRun(run, { parsed, clusterEnds: () => clusterEnds }));
  return { code, out: host.outText(), error: host.errorText() };
}

test("waits for a driver that would end with the cluster of the command", async () => {
  const { code, out, error } = await apply({ clusterEnds: true });
  expect(error).toContain("Waiting for the driver: the embedded cluster runs inside this command");
  expect([code, out]).toEqual([3, "job.yaml: job created\n"]);
});

test("does not wait for a driver of another cluster", async () => {
  const { code, out, error } = await apply({});
  expect([code, out, error.includes("Waiting")]).toEqual([0, "job.yaml: job created\n", false]);
});

const retries = { type: "OnFailure", onSubmissionFailureRetries: 1, onSubmissionFailureRetryInterval: 1 };

test("prints the hint of each failed submission with --watch", async () => {
  const { code, error } = await apply({
    options: ["--watch"],
    restartPolicy: retries,
    fault: ({ method }) => (method === "GET" ? undefined : { status: 403, body: { message: "no" } }),
  });
  expect(code).toBe(1);
  expect(error.match(/^Hint: .*/gm)).toHaveLength(2);
  expect(error.match(/^Error: .*/gm)).toHaveLength(2);
});

test("does not repeat a submission with an invalid setting", async () => {
  const { error } = await apply({
    options: ["--watch"],
    restartPolicy: retries,
    conf: { "spark.executor.cores": "many" },
  }).catch((thrown) => ({ error: thrown }));
  expect(error).toMatchObject({ code: "SUBMIT_ERR_NOT_POSITIVE", kind: "setting" });
});

const logs = { "spark.firesteel.logs": "driver" };

test.each<[string, Case]>([
  ["a profile", { profile: logs }],
  ["the file", { conf: logs }],
])("prints the driver's log if %s says so, with --wait and with --watch", async (_, settings) => {
  for (const option of ["--wait", "--watch"]) {
    const { out } = await apply({ ...settings, options: [option] });
    expect(out).toContain("hello\n");
  }
});
