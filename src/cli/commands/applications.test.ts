import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, testApi } from "../../kube-client/test-api.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { runEventsCommand } from "./events.ts";
import { runLogsCommand } from "./logs.ts";
import { runPsCommand } from "./ps.ts";
import { runUiCommand } from "./ui.ts";

type Command = (host: ReturnType<typeof testHost>, args: readonly string[], open: OpenClient) => Promise<number>;

const ids = { etl: `spark-${"a".repeat(32)}`, report: `spark-${"b".repeat(32)}` };
const container = { name: "spark-kubernetes-driver", image: "spark", env: [{ name: "SPARK_USER", value: "ada" }] };

interface PodFacts {
  readonly name: string;
  readonly app: keyof typeof ids;
  readonly created: string;
  readonly role?: "driver" | "executor";
  readonly executor?: string;
  readonly status: object;
}

function pod({ name, app, created, role = "driver", executor, status }: PodFacts) {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name, namespace: "jobs", uid: name, creationTimestamp: created },
      labels: {
        ...{ "spark-role": role, "spark-app-selector": ids[app], "spark-app-name": app },
        ...(executor !== undefined && { "spark-exec-id": executor }),
      },
    },
    spec: { containers: [container] },
    status,
  };
}

function ended(exitCode: number, reason: string) {
  const state = { terminated: { exitCode, reason, finishedAt: "2026-01-01T00:05:00Z" } };
  return { phase: "Failed", containerStatuses: [{ name: container.name, state }] };
}

const pods = [
  pod({ name: "etl-1-driver", app: "etl", created: "2026-01-01T00:00:00Z", status: ended(137, "OOMKilled") }),
  pod({ name: "etl-2-driver", app: "etl", created: "2026-01-01T01:00:00Z", status: { phase: "Running" } }),
  pod({ name: "report-driver", app: "report", created: "2026-01-01T00:30:00Z", status: ended(1, "Error") }),
  ...["2", "1"].map((executor) =>
    pod({
      ...{ name: `etl-2-exec-${executor}`, app: "etl", role: "executor", executor, created: "2026-01-01T01:01:00Z" },
      status: { phase: executor === "1" ? "Running" : "Pending" },
    }),
  ),
];

const events = [
  {
    name: "etl-2-exec-7",
    reason: "FailedScheduling",
    type: "Warning",
    count: 3,
    lastTimestamp: "2026-01-01T01:02:00Z",
  },
  { name: "etl-2-driver", reason: "Scheduled", type: "Normal", count: 1, lastTimestamp: "2026-01-01T01:00:00Z" },
  { name: "other-driver", reason: "Scheduled", type: "Normal", count: 1, lastTimestamp: "2026-01-01T01:00:00Z" },
].map(({ name, ...event }) => ({
  ...{ apiVersion: "v1", kind: "Event", metadata: { name: `${name}.1`, namespace: "jobs" } },
  ...{ ...event, message: `about ${name}`, involvedObject: { kind: "Pod", name } },
}));

/** Serves pods by their labels, the events, and logs that name what was requested. */
const serve: Fault = ({ path: target }) => {
  const url = new URL(target, "http://api");
  const log = /\/pods\/([^/]+)\/log$/.exec(url.pathname);
  if (log !== null) return { status: 200, body: `${log[1]}?${url.searchParams}\n` };
  if (url.pathname.endsWith("/events")) return { status: 200, body: { metadata: {}, items: events } };
  if (!/^\/api\/v1\/(namespaces\/jobs\/)?pods$/.test(url.pathname)) return undefined;
  const selectors = (url.searchParams.get("labelSelector") ?? "").split(",").map((part) => part.split("="));
  const items = pods.filter(({ metadata }) => {
    const labels: Readonly<Record<string, string>> = metadata.labels;
    return selectors.every(([key = "", value]) => labels[key] === value);
  });
  return { status: 200, body: { metadata: {}, items } };
};

async function run(command: Command, ...args: readonly string[]) {
  const host = testHost({ env: { NO_COLOR: "1" } });
  const api = testApi(serve);
  for (const one of pods) api.put(`/api/v1/namespaces/jobs/pods/${one.metadata.name}`, one);
  const open: OpenClient = async (_host, { server }) =>
    kubeClient({
      ...{ transport: api.transport, server, clock: host.clock, requestTimeoutMs: 5000 },
      ...{ log: () => {}, defaultNamespace: "jobs" },
    });
  const exitCode = await host.settle(command(host, [...args, "--master", "k8s://https://h"], open));
  return { exitCode, out: host.outText(), error: host.errorText(), api };
}

describe("firesteel ps", () => {
  test("lists applications, the newest first, with the reason of their state and their executors", async () => {
    const { out, exitCode } = await run(runPsCommand);
    expect(exitCode).toBe(0);
    const rows = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows.map((row) => row.toSpliced(4, 1))).toEqual([
      ["NAME", "ID", "STATE", "EXECUTORS", "OWNER"],
      ["etl", ids.etl, "running", "1/2", "ada"],
      ["report", ids.report, "failed: exit code 1", "-", "ada"],
      ["etl", ids.etl, "failed: OOMKilled, exit code 137", "1/2", "ada"],
      [""],
    ]);
  });

  test("prints JSON, of some states only", async () => {
    const { out } = await run(runPsCommand, "--json", "--state", "failed,pending");
    expect(JSON.parse(out)).toMatchObject({
      applications: [
        { submissionId: "jobs:report-driver", state: "failed", reason: "Error", exitCode: 1, owner: "ada" },
        { submissionId: "jobs:etl-1-driver", reason: "OOMKilled", endedAt: "2026-01-01T00:05:00Z" },
      ],
    });
  });

  test("rejects unknown states and arguments together", async () => {
    const rejected = run(runPsCommand, "etl", "--state", "done");
    await expect(rejected).rejects.toMatchObject({
      issues: [{ code: "SUBMIT_ERR_ARG_UNKNOWN" }, { code: "SUBMIT_ERR_ARG_VALUE" }],
    });
  });

  test("says on stderr that none exists", async () => {
    const { out, error } = await run(runPsCommand, "--state", "unknown");
    expect([out, error]).toEqual(["", "There is no unknown application in namespace jobs.\n"]);
  });
});

describe("firesteel logs", () => {
  test.each([
    ["the name of its pod", "report-driver", "report-driver"],
    ["the newest driver of an application's name", "etl", "etl-2-driver"],
    ["the newest driver of the namespace", "last", "etl-2-driver"],
    ["an application ID", ids.report, "report-driver"],
  ])("finds a driver by %s", async (_what, id, expected) => {
    expect((await run(runLogsCommand, id)).out).toBe(`${expected}?container=spark-kubernetes-driver\n`);
  });

  test("prints a part of the log", async () => {
    const options = ["--since", "2026-01-01T01:00:00Z", "--tail", "5", "--previous", "--timestamps"];
    const { out } = await run(runLogsCommand, "report-driver", ...options);
    const query = new URLSearchParams(out.trim().split("?")[1]);
    expect(Object.fromEntries(query)).toEqual({
      ...{ container: "spark-kubernetes-driver", sinceTime: "2026-01-01T01:00:00Z", tailLines: "5" },
      ...{ previous: "true", timestamps: "true" },
    });
  });

  test("prints the logs of executors in the order of their IDs, with a prefix, or of one without", async () => {
    const { out } = await run(runLogsCommand, "etl", "--executors");
    expect(out.split("\n").map((line) => line.split("?")[0])).toEqual([
      "[executor 1] etl-2-exec-1",
      "[executor 2] etl-2-exec-2",
      "",
    ]);
    expect((await run(runLogsCommand, "etl", "--executor", "2")).out).toMatch(/^etl-2-exec-2/);
  });

  test("reports executors that are gone", async () => {
    await expect(run(runLogsCommand, "report-driver", "--executors")).rejects.toMatchObject({
      code: "SUBMIT_ERR_EXECUTOR_MISSING",
      issues: [{ hint: expect.stringContaining("To keep their logs, set spark.firesteel.archive.") }],
    });
  });

  test("reports an unknown ID (SUBMIT_ERR_DRIVER_MISSING), also one that no pod can have", async () => {
    for (const id of ["nothing", "My ETL"])
      await expect(run(runLogsCommand, id)).rejects.toMatchObject({ code: "SUBMIT_ERR_DRIVER_MISSING" });
  });

  test("rejects all invalid options together", async () => {
    const options = ["--since", "soon", "--tail", "many", "--executor", "x", "--follow", "--previous"];
    await expect(run(runLogsCommand, "etl", ...options)).rejects.toMatchObject({
      issues: [
        { code: "SUBMIT_ERR_ARG_VALUE", message: expect.stringContaining("--since") },
        { code: "SUBMIT_ERR_ARG_VALUE", message: expect.stringContaining("--tail") },
        { code: "SUBMIT_ERR_ARG_VALUE", message: expect.stringContaining("--executor") },
        { code: "SUBMIT_ERR_OPTIONS_EXCLUSIVE" },
      ],
    });
  });
});

describe("firesteel events", () => {
  test("prints the events of the driver and of objects that are named after it, the oldest first", async () => {
    const { out } = await run(runEventsCommand, "etl");
    expect(out.split("\n").map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ["TYPE", "REASON", "OBJECT", "MESSAGE"],
      ["Normal", "Scheduled", "Pod/etl-2-driver", "about etl-2-driver"],
      ["Warning", "FailedScheduling", "Pod/etl-2-exec-7", "about etl-2-exec-7 (3 times)"],
      [],
    ]);
    const json: unknown = JSON.parse((await run(runEventsCommand, "etl", "--json")).out);
    expect(json).toMatchObject({
      events: [
        { reason: "Scheduled", count: 1 },
        { reason: "FailedScheduling", count: 3 },
      ],
    });
  });
});

describe("firesteel ui", () => {
  test("rejects a driver that does not run (SUBMIT_ERR_DRIVER_NOT_RUNNING), and an invalid port", async () => {
    await expect(run(runUiCommand, "report-driver")).rejects.toMatchObject({ code: "SUBMIT_ERR_DRIVER_NOT_RUNNING" });
    await expect(run(runUiCommand, "etl", "--port", "70000")).rejects.toMatchObject({ code: "SUBMIT_ERR_ARG_VALUE" });
  });
});
