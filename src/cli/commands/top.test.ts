import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, type TestResponse, testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { runTopCommand } from "./top.ts";

const mebibyte = 1024 ** 2;
const id = "spark-0123";
const driverPath = "/api/v1/namespaces/jobs/pods/etl-driver";

function driver(phase: string, uid = "1") {
  const labels = { "spark-role": "driver", "spark-app-selector": id, "spark-app-name": "etl" };
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "etl-driver", namespace: "jobs", uid, labels } },
    spec: { containers: [{ name: "driver", ports: [{ name: "spark-ui", containerPort: 4141 }] }] },
    status: { phase },
  };
}

const stage = {
  ...{ stageId: 3, attemptId: 1, name: "count at etl.py:7", numTasks: 400, numActiveTasks: 4, numCompleteTasks: 120 },
  ...{ numFailedTasks: 2, inputBytes: 1.5 * 1024 * mebibyte, shuffleReadBytes: 0, shuffleWriteBytes: 2048 },
};
const executor = {
  ...{ id: "1", totalCores: 4, activeTasks: 4, completedTasks: 120, failedTasks: 2, totalGCTime: 1500 },
  ...{ memoryUsed: mebibyte, maxMemory: 400 * mebibyte, totalShuffleRead: 0, totalShuffleWrite: 2048 },
  peakMemoryMetrics: { JVMHeapMemory: 700 * mebibyte },
};

/** Responses of the driver's REST API, by the end of the path. */
const ui: Readonly<Record<string, unknown>> = {
  "/applications": [{ id, name: "etl", attempts: [{ startTimeEpoch: 940_000 }] }],
  [`/applications/${id}/jobs?status=running`]: [{ jobId: 1 }],
  [`/applications/${id}/stages?status=active`]: [stage, { ...stage, stageId: 2, attemptId: 0 }],
  [`/applications/${id}/executors`]: [{ id: "driver", totalCores: 0 }, executor],
};

const proxy = ":4141/proxy/api/v1";

interface Run {
  readonly args?: readonly string[];
  readonly terminal?: boolean;
  readonly phase?: string;
  /** Replaces the responses of the UI, by the number of the request for the application. */
  readonly respond?: (number: number) => TestResponse | "normal";
}

function start({ args = [], terminal = false, phase = "Running", respond = () => "normal" }: Run = {}) {
  const host = testHost({ terminal });
  let requests = 0;
  const serve: Fault = ({ path }) => {
    const [, target] = path.split(proxy);
    if (target === undefined) return undefined;
    if (target === "/applications") requests += 1;
    const response = respond(requests);
    return response === "normal" ? { status: 200, body: JSON.stringify(ui[target] ?? "?") } : response;
  };
  const api = testApi(serve);
  api.put(driverPath, driver(phase));
  const open: OpenClient = async (_host, { server }) =>
    kubeClient({
      ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const ended = runTopCommand(host, ["jobs:etl-driver", "--master", "k8s://https://h", ...args], open);
  return { host, api, ended, requests: () => requests };
}

const block = [
  `etl (${id}), 1 min: 1 running job, 8 running tasks, 1 executor with 4 cores`,
  "",
  "STAGE  DONE     RUNNING  FAILED  INPUT    SHUFFLE READ  SHUFFLE WRITE  NAME",
  "2      120/400  4        2       1.5 GiB  0 B           2.0 KiB        count at etl.py:7",
  "3.1    120/400  4        2       1.5 GiB  0 B           2.0 KiB        count at etl.py:7",
  "",
  "EXECUTOR  CORES  RUNNING  DONE  FAILED  GC         PEAK HEAP  STORAGE             SHUFFLE READ  SHUFFLE WRITE",
  "driver    0      0        0     0       0 s        -          0 B of 0 B          0 B           0 B",
  "1         4      4        120   2       1 s        700.0 MiB  1.0 MiB of 400.0 MiB  0 B           2.0 KiB",
  "",
];

const columns = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/));

test.each([
  ["elsewhere than on a terminal", { args: [], terminal: false }],
  ["with --once", { args: ["--once"], terminal: true }],
])("prints stages, tasks, executors and memory once %s", async (_, run) => {
  const { host, ended, requests } = start(run);
  expect(await host.settle(ended)).toBe(0);
  const [first, ...rest] = columns(host.outText());
  expect(first?.join("")).toContain(": 1 running job, 8 running tasks, 1 executor with 4 cores");
  expect(rest).toEqual(columns(block.join("\n")).slice(1));
  expect(requests()).toBe(1);
});

test("prints JSON", async () => {
  const { host, ended } = start({ args: ["--json"], terminal: true });
  expect(await host.settle(ended)).toBe(0);
  expect(JSON.parse(host.outText())).toMatchObject({
    ...{ appId: id, appName: "etl", startedMs: 940_000, runningJobs: 1 },
    stages: [{ id: 2 }, { id: 3, attempt: 1, tasks: { all: 400, active: 4, done: 120, failed: 2 } }],
    executors: [{ id: "driver" }, { id: "1", peakHeapBytes: 700 * mebibyte, storage: { usedBytes: mebibyte } }],
  });
});

test("updates a terminal until an interrupt", async () => {
  const run = start({
    terminal: true,
    respond(number) {
      if (number === 3) run.host.raise("SIGINT");
      return "normal";
    },
  });
  expect(await run.host.settle(run.ended)).toBe(0);
  expect(run.requests()).toBe(3);
  expect(run.host.outText().split("\u001b[H\u001b[J").length).toBeGreaterThan(2);
});

test("shows that the UI does not respond, and ends with the driver", async () => {
  const body = { kind: "Status", code: 503, message: "error trying to reach service: refused" };
  const run = start({
    terminal: true,
    respond(number) {
      if (number === 3) run.api.put(driverPath, driver("Succeeded"));
      return number === 1 ? "normal" : { status: 503, body };
    },
  });
  expect(await run.host.settle(run.ended)).toBe(0);
  expect(run.host.outText()).toContain("does not respond on port 4141: error trying to reach service: refused");
  expect(run.host.outText()).toContain("The driver etl-driver has ended: succeeded\n");
});

test("ends with the driver, also if another one has its name", async () => {
  const run = start({
    terminal: true,
    respond(number) {
      if (number === 3) run.api.put(driverPath, driver("Running", "2"));
      return number < 3 ? "normal" : { status: 503, body: "refused" };
    },
  });
  expect(await run.host.settle(run.ended)).toBe(0);
  expect(run.host.outText()).toContain("The driver etl-driver has ended: deleted\n");
});

test.each([
  ["a driver that has ended", { phase: "Failed" }, "SUBMIT_ERR_DRIVER_NOT_RUNNING"],
  ["a UI without a REST API", { respond: () => ({ status: 404, body: "none" }) }, "SUBMIT_ERR_DRIVER_UI_NO_RESPONSE"],
  ["a missing permission", { respond: () => ({ status: 403, body: "no" }) }, "SUBMIT_ERR_KUBE_FORBIDDEN"],
] as const)("reports %s", async (_, run, code) => {
  const { host, ended } = start(run);
  await expect(host.settle(ended)).rejects.toMatchObject({ code });
});

test("accepts responses of other shapes", async () => {
  const { host, ended } = start({ respond: () => ({ status: 200, body: [{ id: 1, attempts: {} }, 2] }) });
  expect(await host.settle(ended)).toBe(0);
  expect(host.outText()).toContain("0 running tasks");
});
