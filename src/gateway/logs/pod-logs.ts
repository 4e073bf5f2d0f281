import { hasCode } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { ApplicationRecord, GatewayApplication } from "../model/application.ts";
import type { LogPage, LogRange } from "../model/applications.ts";
import type { DriverLogs, EndedLog } from "./driver-logs.ts";
import { type KeptLogs, tailLines } from "./kept-logs.ts";
import { type LogWindow, logWindow } from "./log-window.ts";
import { reportEnd, reportStart } from "./report.ts";
import { type SpooledLog, spoolLog } from "./spool-log.ts";

/** Dependencies for keeping logs. */
interface LogKeeping {
  readonly kept: KeptLogs;
  readonly clock: Pick<Clock, "after">;
}

/** Copy of a log that still grows. */
interface FollowedLog {
  readonly spooled: Promise<SpooledLog>;
  readonly ending: AbortController;
}

/** Connections that follow logs at the same time. */
const maxFollowed = 64;
/** Time after a driver's end in which the rest of its log arrives. */
const restMs = 30_000;

/**
 * Reads logs from pods, those of drivers that have ended from their kept copies, and the last lines of others from their records.
 *
 * @param keeping `undefined` if the gateway keeps no logs
 */
export function podLogs(client: KubeClient, keeping?: LogKeeping): DriverLogs {
  const kept = keeping?.kept;
  const followed = new Map<string, FollowedLog>();
  const finishFollowed = async (id: string): Promise<SpooledLog | undefined> => {
    const found = followed.get(id);
    const cancel = keeping?.clock.after(restMs, () => found?.ending.abort());
    const log = await found?.spooled;
    cancel?.();
    followed.delete(id);
    return log;
  };
  const spool = (record: ApplicationRecord, log: AsyncIterable<Uint8Array>): Promise<SpooledLog> =>
    kept === undefined ? spoolLog(log, { lastLines: tailLines }) : kept.spool(record, log);
  const endedLog = (record: ApplicationRecord, log: SpooledLog): EndedLog => ({
    tail: log.tail,
    store: kept === undefined ? undefined : () => kept.store(record, log),
  });
  const read = (application: GatewayApplication, call: PageCall) => readPage({ client, kept, application, ...call });
  return {
    followEnd(record, container) {
      const id = idOf(record);
      if (kept === undefined || followed.has(id) || followed.size >= maxFollowed || record.isRemoved === true) return;
      const { namespace, podName: pod } = record;
      const ending = new AbortController();
      const log = client.logs({ namespace, pod, container, follow: true, signal: ending.signal });
      followed.set(id, { spooled: kept.spool(record, log), ending });
    },
    async readEnded(record, container) {
      const known = await finishFollowed(idOf(record));
      if (known !== undefined && known.tail.total > 0) return endedLog(record, known);
      if (container === undefined) return undefined;
      const { namespace, podName: pod } = record;
      const log = await spool(record, client.logs({ namespace, pod, container }));
      if (log.readError === undefined) return endedLog(record, log);
      kept?.discard(record);
      if (isMissing(log.readError)) return undefined;
      throw log.readError;
    },
    async remove(record) {
      followed.get(idOf(record))?.ending.abort();
      if ((await finishFollowed(idOf(record))) !== undefined) kept?.discard(record);
      await kept?.remove(record.key);
    },
    read: (application, range) => read(application, { range, before: [] }),
    follow: (application, from, signal) => followPod(client, application, { from, signal }),
    async readReport(application, range) {
      const after = reportEnd(application);
      return read(application, { range, before: [reportStart], after });
    },
    async readReportTail(application, count) {
      const { record, driver } = application;
      const window = logWindow({ last: count });
      window.addLines([reportStart]);
      const isLogKnown = driver === undefined || record.end?.logTail !== undefined;
      const isRead =
        !isLogKnown && (await readPod(client, { ...record, container: driver.container, window, tailLines: count }));
      if (!isRead) window.addLines(record.end?.logTail ?? []);
      window.addLines(reportEnd(application));
      return window.page().lines;
    },
  };
}

function idOf({ key, attempt }: ApplicationRecord): string {
  return `${key}/${attempt}`;
}

/** Lines to read, and the lines around the log. */
interface PageCall {
  readonly range: LogRange;
  readonly before: readonly string[];
  readonly after?: readonly string[];
}

interface PageRead extends PageCall {
  readonly client: KubeClient;
  readonly kept: KeptLogs | undefined;
  readonly application: GatewayApplication;
}

/** Reads a page from the first source that has it: the record, the kept log, the pod, and otherwise what the record has. */
async function readPage(call: PageRead): Promise<LogPage> {
  const window = (await keptWindow(call)) ?? (await podWindow(call)) ?? tailWindow(call);
  window.addLines(call.after ?? []);
  return window.page();
}

function newWindow({ range, before }: PageCall): LogWindow {
  const window = logWindow(range);
  window.addLines(before);
  return window;
}

async function keptWindow(call: PageRead): Promise<LogWindow | undefined> {
  const { kept, before, application } = call;
  const { record } = application;
  const { end } = record;
  if (kept === undefined || end?.log?.state !== "kept" || end.logLines === undefined) return undefined;
  if (isInTail(call)) return tailWindow(call);
  const window = newWindow(call);
  const isRead = await kept.read(record, (bytes) => {
    window.push(bytes);
    return !window.isFull();
  });
  if (!isRead) return undefined;
  if (window.isFull()) window.skipTo(before.length + end.logLines);
  return window;
}

/** Whether the lines that a record keeps are all that a page needs. */
function isInTail({ range, before, application: { record } }: PageRead): boolean {
  const { logLines = 0, logTail = [] } = record.end ?? {};
  if ("last" in range) return range.last <= logTail.length;
  return range.from >= before.length + logLines - logTail.length;
}

async function podWindow(call: PageRead): Promise<LogWindow | undefined> {
  const { client, application } = call;
  const { driver, record } = application;
  if (driver === undefined) return undefined;
  const window = newWindow(call);
  return (await readPod(client, { ...record, container: driver.container, window })) ? window : undefined;
}

/** Reads the last lines of a log from the record. They have the numbers of the complete log. */
function tailWindow(call: PageRead): LogWindow {
  const { logLines, logTail = [] } = call.application.record.end ?? {};
  const window = newWindow(call);
  window.skipTo(call.before.length + (logLines ?? logTail.length) - logTail.length);
  window.addLines(logTail);
  return window;
}

/** A container and the reader of its log. */
interface LogRead extends Pick<ApplicationRecord, "namespace" | "podName"> {
  readonly container: string;
  readonly window: LogWindow;
  /** Number of the last lines to read. @default all */
  readonly tailLines?: number;
}

/** Reads the log of a container. Returns false if there is none: the pod does not exist, or its container has not started. */
async function readPod(
  client: KubeClient,
  { namespace, podName, container, window, tailLines: count }: LogRead,
): Promise<boolean> {
  const call = { namespace, pod: podName, container, ...(count !== undefined && { tailLines: count }) };
  try {
    for await (const bytes of client.logs(call)) window.push(bytes);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

interface FollowCall {
  /** Number of the first line. */
  readonly from: number;
  readonly signal: AbortSignal;
}

async function* followPod(
  client: KubeClient,
  { driver, record }: GatewayApplication,
  { from, signal }: FollowCall,
): AsyncGenerator<LogPage, void, undefined> {
  if (driver === undefined || record.end !== undefined) return;
  const { namespace, podName: pod } = record;
  const window = logWindow({ from, count: Number.POSITIVE_INFINITY });
  try {
    for await (const bytes of client.logs({ namespace, pod, container: driver.container, follow: true, signal })) {
      window.push(bytes);
      const page = window.takeLines();
      if (page.lines.length > 0) yield page;
    }
  } catch (error) {
    if (!signal.aborted && !isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND") || hasCode(error, "SUBMIT_ERR_KUBE_REJECTED");
}
