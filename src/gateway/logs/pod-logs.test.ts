import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { chunks, type TestResponse, testApi } from "../../kube-client/test-api.ts";
import { testDriver } from "../../plan/test-driver.ts";
import type { ApplicationEnd, GatewayApplication, ObservedDriver } from "../model/application.ts";
import type { LogPage } from "../model/applications.ts";
import { testRecord } from "../model/test-application.ts";
import { type KeptLogs, keptLogs } from "./kept-logs.ts";
import { logStore } from "./log-store.ts";
import { podLogs } from "./pod-logs.ts";

const container = "spark-kubernetes-driver";
const record = testRecord();
const driver: ObservedDriver = { uid: "u", createdMs: 0, container };
const lines = Array.from({ length: 250 }, (_, number) => `line ${number}`);
const podLog = (): TestResponse => ({ status: 200, stream: chunks(`${lines.join("\n")}\n`) });
const missingPod = (): TestResponse => ({ status: 404, body: { kind: "Status", reason: "NotFound", code: 404 } });

function open({ pod = podLog, host = testHost() }: { pod?: () => TestResponse; host?: TestHost } = {}) {
  const logged: string[] = [];
  const kept: KeptLogs = keptLogs({
    ...{ host, directory: "jobs/gateway", log: (_, text, fields) => logged.push(`${text} ${fields?.["reason"]}`) },
    store: logStore(host, { kind: "directory", path: "/logs" }, testDriver()),
  });
  const options = { server: "https://api", clock: host.clock, requestTimeoutMs: 1000, log: () => {} };
  const client = kubeClient({ ...options, transport: testApi(pod).transport });
  return { host, kept, logged, logs: podLogs(client, { kept, clock: host.clock }) };
}

function endedWith(end: Partial<ApplicationEnd>, observed?: ObservedDriver): GatewayApplication {
  return {
    record: { ...record, end: { state: "succeeded", atMs: 0, hasStarted: true, ...end } },
    ...{ state: "succeeded", executors: [], submissionLog: ["submitted"], isExplained: true, driver: observed },
  };
}

/** Keeps the log of the driver. @returns the application after its pod was deleted */
async function keep({ logs }: ReturnType<typeof open>): Promise<GatewayApplication> {
  const ended = await logs.readEnded(record, container);
  const reason = await ended?.store?.();
  const log = reason === undefined ? ({ state: "kept" } as const) : ({ state: "failed", reason } as const);
  return endedWith({ logTail: ended?.tail.lines, logLines: ended?.tail.total, log });
}

test("a kept log has the lines and numbers of the pod's log", async () => {
  const opened = open();
  const { logs, host } = opened;
  const running = { ...endedWith({}, driver), record };
  const ranges = [{ from: 3, count: 2 }, { from: 248, count: 10 }, { last: 2 }, { last: 120 }, { from: 300, count: 5 }];
  const before = await Promise.all(ranges.map((range) => logs.read(running, range)));
  const ended = await keep(opened);
  expect(ended.record.end?.log).toEqual({ state: "kept" });
  expect(host.files.list("/logs/jobs/gateway/api-0")).toEqual(["driver-1.log.gz"]);
  const after = open({ pod: missingPod, host });
  expect(await Promise.all(ranges.map((range) => after.logs.read(ended, range)))).toEqual(before);
  expect(opened.kept.counts()).toEqual({ kept: 1, failures: new Map() });
});

test("the output for Livy has the numbers of before, and the complete log", async () => {
  const opened = open();
  const ended = await keep(opened);
  const { logs } = open({ pod: missingPod, host: opened.host });
  expect(await logs.readReport(ended, { from: 0, count: 3 })).toEqual({
    ...{ lines: ["stdout: ", "line 0", "line 1"], from: 0, total: 255 },
  });
  expect(await logs.readReport(ended, { from: 250, count: 3 })).toEqual({
    ...{ lines: ["line 249", "\nstderr: ", "submitted"], from: 250, total: 255 },
  });
});

test("if the log cannot be stored, the last 100 lines remain with their numbers", async () => {
  const host = testHost({ files: { "/logs": "a file" } });
  const opened = open({ host });
  const ended = await keep(opened);
  expect(ended.record.end?.log).toMatchObject({ state: "failed", reason: expect.stringContaining("/logs") });
  expect(opened.kept.counts()).toEqual({ kept: 0, failures: new Map([["keep", 1]]) });
  expect(opened.logged).toEqual([expect.stringContaining("Cannot keep the log of a driver.")]);
  const { logs } = open({ pod: missingPod, host });
  expect(await logs.read(ended, { from: 0, count: 500 })).toEqual({ lines: lines.slice(150), from: 150, total: 250 });
});

test("if a kept log cannot be read, the pod and the record replace it", async () => {
  const opened = open();
  const ended = await keep(opened);
  opened.host.files.write("/logs/jobs/gateway/api-0/driver-1.log.gz", "no gzip");
  const range = { from: 10, count: 1 };
  const lost = open({ pod: missingPod, host: opened.host });
  expect(await lost.logs.read(ended, range)).toEqual({ lines: [], from: 10, total: 250 });
  expect(lost.kept.counts().failures).toEqual(new Map([["read", 1]]));
  expect((await opened.logs.read({ ...ended, driver }, range)).lines).toEqual(["line 10"]);
});

test("the log of a driver that is being deleted is kept", async () => {
  const opened = open();
  opened.logs.followEnd(record, container);
  const ended = await opened.logs.readEnded(record, undefined);
  expect(await ended?.store?.()).toBeUndefined();
  expect(ended?.tail.total).toBe(250);
});

test("logs are removed with their application", async () => {
  const opened = open();
  await keep(opened);
  await opened.logs.remove(record);
  expect(opened.host.files.list("/logs/jobs/gateway")).toEqual([]);
});

test("a driver without a log has none to keep", async () => {
  const { logs, host } = open({ pod: missingPod });
  expect(await logs.readEnded(record, container)).toBeUndefined();
  expect(host.files.list("/logs/.incomplete/jobs/gateway")).toEqual([]);
});

/** Reads all pages of a log that is followed. */
function pagesOf(pages: AsyncIterable<LogPage>): Promise<LogPage[]> {
  return Readable.from(pages).toArray();
}

test("a running driver's log is followed from a line on, in complete lines", async () => {
  const { logs } = open({ pod: () => ({ status: 200, stream: chunks("zero\none\nt", "wo\nthree\n", "unfinished") }) });
  const running = { ...endedWith({}, driver), record };
  const pages = await pagesOf(logs.follow(running, 1, new AbortController().signal));
  expect(pages).toEqual([
    { lines: ["one"], from: 1, total: 2 },
    { lines: ["two", "three"], from: 2, total: 4 },
  ]);
});

test.each([
  ["has not started", missingPod, { ...endedWith({}, driver), record }],
  ["has ended", podLog, endedWith({}, driver)],
])("there is nothing to follow when a driver %s", async (_, pod, application) => {
  const { logs } = open({ pod });
  expect(await pagesOf(logs.follow(application, 0, new AbortController().signal))).toEqual([]);
});

test("a log that cannot be read is not followed silently, unless the client has left", async () => {
  const failing = () => ({ status: 403, body: { kind: "Status", reason: "Forbidden", code: 403, message: "no" } });
  const running = { ...endedWith({}, driver), record };
  const { logs } = open({ pod: failing });
  await expect(pagesOf(logs.follow(running, 0, new AbortController().signal))).rejects.toThrow("no");
  expect(await pagesOf(logs.follow(running, 0, AbortSignal.abort()))).toEqual([]);
});
