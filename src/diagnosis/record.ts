import { podTemplateContainerName } from "../conf/entries/driver.ts";
import { issue, type Result } from "../errors/issue.ts";
import type { Event, Pod } from "../kube/types.ts";
import { parseInstant } from "../values/instant.ts";
import type { LogLine, Observation, ObservedPod, Rejection } from "./observation.ts";
import { viewPod } from "./pod-view.ts";
import { type FaultRecord, isFaultRecord, recordProblem } from "./record-shape.ts";

/** Recorded observations of a submission over time. */
export interface ObservedRun {
  /** Times of changes, in ms after the start; the last one is `endMs`. */
  readonly changesMs: readonly number[];
  /** End of the recording, in ms after its start. */
  readonly endMs: number;
  /** Returns the observation at a time (ms after the start). At the end, it includes everything. */
  readonly at: (ms: number) => Observation;
}

/**
 * Parses a fault record: JSON with `timeline` (pods, events and executors as received by a watch), logs with the time of each
 * line, related objects, and the rejected request.
 *
 * @returns the issue `SUBMIT_ERR_RECORD` with `path` for an invalid file
 */
export function readRecord(text: string, path: string): Result<ObservedRun> {
  const record = parsed(text);
  if (!isFaultRecord(record)) {
    return { ok: false, issues: [issue("SUBMIT_ERR_RECORD", { path, reason: recordProblem(record) })] };
  }
  const { timeline, endMs } = record;
  const times = [...timeline.map(({ ms }) => ms), record.rejection?.ms ?? 0];
  const changesMs = [...new Set([...times.filter((ms) => ms < endMs), endMs])].sort((a, b) => a - b);
  const logs = logsOf(record, parseInstant(record.startedAt) ?? 0);
  return { ok: true, value: { changesMs, endMs, at: (ms) => observationAt(record, ms, logs) } };
}

/** Parses JSON. `undefined` for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function observationAt(record: FaultRecord, ms: number, logs: LogSource["logs"]): Observation {
  const { startedAt, timeline, endMs, properties = {}, objects = [], rejection } = record;
  const start = parseInstant(startedAt) ?? 0;
  // Entries reported after the end happened before it.
  const entries = timeline.filter((entry) => ms >= endMs || entry.ms <= ms);
  const pods = new Map<string, SeenPod>();
  const events = new Map<string, Event>();
  for (const entry of entries) {
    for (const event of entry.events ?? []) put(events, eventKey(event), event);
    if (entry.pod !== undefined) see(pods, entry.pod, entry.deleted === true);
    for (const executor of entry.executors ?? []) see(pods, executor, false);
    for (const name of entry.executorsDeleted ?? []) {
      const seen = pods.get(name);
      if (seen !== undefined) pods.set(name, { ...seen, isDeleted: true });
    }
  }
  const until = start + (ms >= endMs ? Math.max(ms, endMs) : ms);
  const sources = { logs, until, properties, ofContainers: containerLogsOf(record, start, ms) };
  const isRefused = rejection !== undefined && (rejection.ms <= ms || ms >= endMs);
  const driverName = record.driverPod ?? timeline.find(({ pod }) => pod !== undefined)?.pod?.metadata?.name ?? "";
  return {
    now: start + ms,
    ...{ properties, objects, events: [...events.values()] },
    driver: withLogs(pods.get(driverName), "driver", sources),
    executors: [...pods]
      .filter(([name]) => name !== driverName)
      .flatMap(([, pod]) => withLogs(pod, "executor", sources) ?? []),
    ...(isRefused ? { rejection: rejectionOf(rejection) } : {}),
  };
}

interface SeenPod {
  readonly pod: Pod;
  readonly isDeleted: boolean;
}

/** Stores a pod. Records contain its spec only when it is new or changed. */
function see(pods: Map<string, SeenPod>, pod: Pod, isDeleted: boolean): void {
  const name = pod.metadata?.name ?? "";
  const spec = pod.spec ?? pods.get(name)?.pod.spec;
  pods.set(name, { pod: spec === undefined ? pod : { ...pod, spec }, isDeleted });
}

/** Stores a value as the last one. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

function eventKey({ metadata, reason, message }: Event): string {
  return metadata.uid ?? metadata.name ?? `${reason} ${message}`;
}

interface LogSource {
  readonly logs: ReadonlyMap<string, readonly LogLine[]>;
  /** Ms since the epoch. */
  readonly until: number;
  readonly properties: Readonly<Record<string, string>>;
  /** Logs by pod and container; `undefined` in records with one log per kind of container. */
  readonly ofContainers: Readonly<Record<string, ObservedPod["logs"]>> | undefined;
}

function withLogs(
  seen: SeenPod | undefined,
  role: "driver" | "executor",
  { logs, until, properties, ofContainers }: LogSource,
): ObservedPod | undefined {
  if (seen === undefined) return undefined;
  if (ofContainers !== undefined) return { ...seen, logs: ofContainers[seen.pod.metadata?.name ?? ""] ?? {} };
  const { main, inits, sidecars, name } = viewPod(
    { ...seen, logs: {} },
    { role, events: [], mainName: properties[podTemplateContainerName[role].key] },
  );
  const read = (kind: string) => (logs.get(kind) ?? []).filter(({ at }) => at <= until);
  if (role === "executor") return { ...seen, logs: { [main.name]: read(name) } };
  // A record has one log per kind of container: that of the failed one.
  const init = inits.find(({ end, status }) => end?.exitCode !== 0 && status?.started !== true) ?? inits.at(-1);
  const [sidecar] = sidecars;
  return {
    ...seen,
    logs: {
      [main.name]: read("log"),
      ...(init === undefined ? {} : { [init.name]: read("initLog") }),
      ...(sidecar === undefined ? {} : { [sidecar.name]: read("sideCarLog") }),
    },
  };
}

/** Returns the logs until a time by pod and container. At the end of the record, they include every line. */
function containerLogsOf(record: FaultRecord, start: number, ms: number): LogSource["ofContainers"] {
  const { containerLogs, containerLogsMs = {}, endMs } = record;
  if (containerLogs === undefined) return undefined;
  const ofPod = (pod: string, logs: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(logs).map(([container, texts]) => {
      const times = containerLogsMs[pod]?.[container] ?? [];
      const all = texts.map((text, index) => ({ at: start + (times[index] ?? 0), text }));
      return [container, ms >= endMs ? all : all.filter(({ at }) => at <= start + ms)] as const;
    });
  return Object.fromEntries(
    Object.entries(containerLogs).map(([pod, logs]) => [pod, Object.fromEntries(ofPod(pod, logs))]),
  );
}

/** Returns all logs by their field in the record; those of executors by the name of the pod. */
function logsOf(record: FaultRecord, start: number): ReadonlyMap<string, readonly LogLine[]> {
  const { log, logMs, initLog, initLogMs, sideCarLog, sideCarLogMs, executorLogs = {}, executorLogsMs = {} } = record;
  return new Map([
    ["log", linesOf(log, logMs, start)],
    ["initLog", linesOf(initLog, initLogMs, start)],
    ["sideCarLog", linesOf(sideCarLog, sideCarLogMs, start)],
    ...Object.entries(executorLogs).map(([name, text]) => [name, linesOf(text, executorLogsMs[name], start)] as const),
  ]);
}

function linesOf(text: string | undefined, times: readonly number[] | undefined, start: number): readonly LogLine[] {
  if (text === undefined || text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line, index) => ({ at: start + (times?.[index] ?? 0), text: line }));
}

function rejectionOf({ request, status, body }: NonNullable<FaultRecord["rejection"]>): Rejection {
  const [method = "", path = ""] = request.split(" ");
  return { method, path, status, body };
}
