import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, testApi } from "../../kube-client/test-api.ts";
import { runDeleteCommand } from "./delete.ts";
import { applicationText, runWithFiles } from "./test-application.ts";

const record = { application: "job", digest: "d", submissionAttempts: 1, executionAttempts: 1 };
const annotations = { "firesteel.dev/application": JSON.stringify(record) };

interface Machine {
  readonly options?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly fault?: Fault;
}

/** Prepares the deletion of an application whose driver is `NAMESPACE:NAME`. */
function deletion(driver: string, { options = [], files = {}, fault }: Machine) {
  const cwd = "/w";
  const job = '{"name": "job", "app": "local:///job.py"}';
  const host = testHost({ cwd, env: { SPARK_CONF_DIR: "/conf" }, files: { "/w/job.yaml": job, ...files } });
  const api = testApi(fault);
  const [namespace, name = ""] = driver.split(":");
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  api.put(path, { apiVersion: "v1", kind: "Pod", metadata: { name, annotations } });
  const openClient = async () =>
    kubeClient({
      ...{ transport: api.transport, server: "https://h", clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: undefined },
    });
  const run = () => runDeleteCommand(host, ["-f", "job.yaml", "--master", "k8s://h", ...options], openClient);
  return { host, api, path, run };
}

test("deletes only the driver that it found, and does not wait for a later one of its name", async () => {
  const { host, api, path, run } = deletion("default:job-driver", {
    fault: ({ method }) => {
      // Another process creates a driver of the same name as soon as the first one is deleted.
      if (method === "DELETE")
        api.put(path, { apiVersion: "v1", kind: "Pod", metadata: { name: "job-driver", uid: "2" } });
      return method === "DELETE" ? { status: 200, body: {} } : undefined;
    },
  });
  expect(await host.settle(run())).toBe(0);
  const { body } = api.requests.find(({ method }) => method === "DELETE") ?? {};
  expect(JSON.parse(String(body))).toMatchObject({ preconditions: { uid: "uid-0" } });
});

test("reports what prevents the deletion for 30 s, and continues to wait", async () => {
  const { host, api, path, run } = deletion("default:job-driver", {
    fault: ({ method }) => (method === "DELETE" ? { status: 200, body: {} } : undefined),
  });
  api.put(path, { apiVersion: "v1", kind: "Pod", metadata: { name: "job-driver", finalizers: ["x.dev/keep"] } });
  const deleted = run();
  await host.advance(29_000);
  expect(host.errorText()).toBe("");
  await host.advance(60_000);
  expect(host.errorText()).toBe(
    [
      "Still waiting for the deletion of the driver default:job-driver: it has the finalizers x.dev/keep.",
      "Hint: If the controller of the finalizers does not run any more, remove them: kubectl edit pod job-driver -n default",
      "",
    ].join("\n"),
  );
  api.put(path, { apiVersion: "v1", kind: "Pod", metadata: { name: "job-driver", uid: "2" } });
  expect(await host.settle(deleted)).toBe(0);
});

const setting = "spark.kubernetes.namespace";

test.each<[string, Machine]>([
  ["an option", { options: ["--conf", `${setting}=jobs`] }],
  [
    "a profile",
    { options: ["--profile", "prod"], files: { "/w/firesteel.yaml": `profiles: {prod: {${setting}: jobs}}` } },
  ],
  ["spark-defaults.conf", { files: { "/conf/spark-defaults.conf": `${setting} jobs` } }],
])("deletes the driver in the namespace of %s", async (_, machine) => {
  const { host, api, run } = deletion("jobs:job-driver", machine);
  expect(await host.settle(run())).toBe(0);
  expect(host.outText()).toBe("job.yaml: job deleted\n");
  expect(api.objects.size).toBe(0);
});

test("deletes the driver whose pod an option names", async () => {
  const options = ["--conf", "spark.kubernetes.driver.pod.name=other"];
  const { host, api, run } = deletion("default:other", { options });
  expect(await host.settle(run())).toBe(0);
  expect(api.objects.size).toBe(0);
});

test.each(["delete", "diff"])(
  "%s does not start an embedded cluster (SUBMIT_ERR_CLUSTER_NOT_FOUND)",
  async (command) => {
    const files = { "job.yaml": '{"name": "job", "app": "local:///job.py"}' };
    const { exit, error } = await runWithFiles([command, "-f", "job.yaml", "--cluster", "embedded"], files);
    expect(exit).toBeGreaterThan(0);
    expect(error).toContain('The cluster "default" is not running.\nHint: Start it: firesteel cluster start\n');
  },
);

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
