import { expect, test } from "vitest";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { printError } from "../print.ts";
import { runConnectCommand } from "./connect.ts";

const label = "firesteel.dev/connect-server";

function driver(name: string, phase: string, labels: Readonly<Record<string, string>> = { [label]: "15002" }) {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name, namespace: "jobs", uid: name, creationTimestamp: "2026-01-01T00:00:00Z" },
      labels: { "spark-role": "driver", "spark-app-name": name, ...labels },
    },
    spec: { containers: [{ name: "spark-kubernetes-driver" }] },
    status: { phase },
  };
}

const pods = [driver("notebook", "Running"), driver("old", "Succeeded"), driver("etl", "Running", {})];

async function run(args: readonly string[], machine: Parameters<typeof testHost>[0] = {}) {
  const host: TestHost = testHost({ env: { NO_COLOR: "1" }, ...machine });
  const api = testApi(({ path: target }) => {
    const url = new URL(target, "http://api");
    if (url.pathname !== "/api/v1/namespaces/jobs/pods") return undefined;
    const isServer = url.searchParams.get("labelSelector")?.includes(label) === true;
    const items = pods.filter(({ metadata }) => !isServer || label in metadata.labels);
    const selected = url.searchParams.get("labelSelector")?.includes("executor") === true ? [] : items;
    return { status: 200, body: { metadata: {}, items: selected } };
  });
  for (const pod of pods) api.put(`/api/v1/namespaces/jobs/pods/${pod.metadata.name}`, pod);
  const open: OpenClient = async (_host, { server }) =>
    kubeClient({
      ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const running = runConnectCommand(host, args, open).catch((error: unknown) => {
    host.stderr.write(printError(error, { form: "errorAndHint" }));
    return 1;
  });
  const exitCode = await host.settle(running);
  return { exitCode, out: host.outText(), error: host.errorText(), api };
}

const cluster = ["--master", "k8s://https://h"];

test("list prints the Spark Connect servers only", async () => {
  const { out, exitCode } = await run(["list", ...cluster]);
  expect(exitCode).toBe(0);
  expect(out.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual(["NAME", "old", "notebook", ""]);
  const { servers } = JSON.parse((await run(["list", "--json", ...cluster])).out);
  expect(servers).toMatchObject([{ state: "succeeded" }, { state: "running", submissionId: "jobs:notebook" }]);
});

test("stop deletes one server, or all, and no other driver (SUBMIT_ERR_CONNECT_SERVER_REQUIRED)", async () => {
  const deleted = ({ api }: Awaited<ReturnType<typeof run>>) =>
    api.requests.filter(({ method }) => method === "DELETE").map(({ path }) => path.replace(/\?.*/, ""));
  const one = await run(["stop", "notebook", ...cluster]);
  expect(one.out).toBe("jobs:notebook stopped\n");
  expect(deleted(one)).toEqual(["/api/v1/namespaces/jobs/pods/notebook"]);
  const all = await run(["stop", "--all", ...cluster]);
  expect(deleted(all).map((path) => path.split("/").at(-1))).toEqual(["notebook", "old"]);
  const other = await run(["stop", "etl", ...cluster]);
  expect(other).toMatchObject({
    exitCode: 1,
    error:
      "Error: The driver jobs:etl is not a Spark Connect server.\nHint: List the servers: firesteel connect list\n",
  });
  expect(deleted(other)).toEqual([]);
});

test("forward rejects a server that has ended (SUBMIT_ERR_CONNECT_SERVER_ENDED)", async () => {
  const { error, exitCode } = await run(["forward", "old", ...cluster]);
  expect(exitCode).toBe(1);
  expect(error).toContain("The Spark Connect server jobs:old is not running (succeeded).");
});

test.each([
  [["stop"], "firesteel connect stop requires a server."],
  [["stop", "notebook", "--all"], "--all and an ID exclude each other."],
  [["start", "--idle-timeout", "soon"], "--idle-timeout"],
  [["start", "--idle-timeout=-5m"], "or 0 for none"],
  [["start", "--port", "70000"], "a port, 0 to 65535"],
  [["start", "app.py"], "app.py"],
])("%j is rejected", async (args, text) => {
  const { error, exitCode } = await run([...args, ...cluster]);
  expect(exitCode).toBe(1);
  expect(error).toContain(text);
});

test("start rejects other masters (SUBMIT_ERR_CONNECT_MASTER)", async () => {
  const { error } = await run(["start", "--master", "spark://h:7077"]);
  expect(error).toContain("A Spark Connect server cannot be started on spark://h:7077");
});

test("start --detach requires a background cluster (SUBMIT_ERR_CONNECT_DETACHED_INSIDE)", async () => {
  const { error } = await run(["start", "--detach", "--master", "k8s://embedded"]);
  expect(error).toContain("Hint: Start it in the background first: firesteel cluster start");
});
