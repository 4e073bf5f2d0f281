import { issue, type Result } from "../errors/issue.ts";
import type { Event, Pod } from "../kube/types.ts";
import { parseInstant } from "../values/instant.ts";
import type { LogLine, Observation, ObservedPod, Rejection } from "./observation.ts";
import { viewPod } from "./pod-view.ts";
import { type FaultRecord, isFaultRecord, recordProblem } from "./record-shape.ts";

/** A record of what was seen of a submission over time. */
export interface ObservedRun {
  /** When something changed, in ms after its start; ends with `endMs`. */
  readonly changesMs: readonly number[];
  /** The end of the recording, in ms after its start. */
  readonly endMs: number;
  /** What was known at a moment (ms after the start). The end knows everything. */
  readonly at: (ms: number) => Observation;
}

/**
 * Reads a fault record: JSON with `timeline` (pods, events and executors as a watch gave them), logs with the time of each
 * line, the objects around, and the request that was refused.
 *
 * @returns the issue `SUBMIT_ERR_RECORD` for a broken or foreign file; `path` is named in it
 */
export function readRecord(text: string, path: string): Result<ObservedRun> {
  const record = parsed(text);
  if (!isFaultRecord(record)) {
    return { ok: false, issues: [issue("SUBMIT_ERR_RECORD", { path, reason: recordProblem(record) })] };
  }
  const { timeline, endMs } = record;
  const times = [...timeline.map(({ ms }) => ms), record.rejection?.ms ?? 0];
  const changesMs = [...new Set([...times.filter((ms) => ms < endMs), endMs])].sort((a, b) => a - b);
  return { ok: true, value: { changesMs, endMs, at: (ms) => observationAt(record, ms) } };
}

/** `undefined` for what is no JSON, which no record is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function observationAt(record: FaultRecord, ms: number): Observation {
  const { startedAt, timeline, endMs, properties = {}, objects = [], rejection } = record;
  const start = parseInstant(startedAt) ?? 0;
  // What was told after the end had happened before it.
  const entries = timeline.filter((entry) => ms >= endMs || entry.ms <= ms);
  const pods = new Map<string, SeenPod>();
  const events = new Map<string, Event>();
  for (const entry of entries) {
    for (const event of entry.events ?? []) put(events, eventKey(event), event);
    if (entry.pod !== undefined) see(pods, entry.pod, entry.deleted === true);
    for (const executor of entry.executors ?? []) see(pods, executor, false);
    for (const name of entry.executorsDeleted ?? []) {
      const seen = pods.get(name);
      if (seen !== undefined) pods.set(name, { ...seen, isGone: true });
    }
  }
  const until = start + (ms >= endMs ? Math.max(ms, endMs) : ms);
  const isRefused = rejection !== undefined && (rejection.ms <= ms || ms >= endMs);
  const driverName =
    record.driverPod ?? timeline.find(({ pod }) => pod !== undefined)?.pod?.metadata?.name ?? "";
  const logs = { record, start, until };
  return {
    now: start + ms,
    ...{ properties, objects, events: [...events.values()] },
    driver: withLogs(pods.get(driverName), "driver", logs),
    executors: [...pods]
      .filter(([name]) => name !== driverName)
      .flatMap(([, pod]) => withLogs(pod, "executor", logs) ?? []),
    ...(isRefused ? { rejection: rejectionOf(rejection) } : {}),
  };
}

interface SeenPod {
  readonly pod: Pod;
  readonly isGone: boolean;
}

/** A pod's spec is given where it is new or changed. */
function see(pods: Map<string, SeenPod>, pod: Pod, isGone: boolean): void {
  const name = pod.metadata?.name ?? "";
  const spec = pod.spec ?? pods.get(name)?.pod.spec;
  pods.set(name, { pod: spec === undefined ? pod : { ...pod, spec }, isGone });
}

/** The newest comes last. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

function eventKey({ metadata, reason, message }: Event): string {
  return metadata.uid ?? metadata.name ?? `${reason} ${message}`;
}

interface LogSource {
  readonly record: FaultRecord;
  readonly start: number;
  /** Ms since the epoch. */
  readonly until: number;
}

function withLogs(
  seen: SeenPod | undefined,
  role: "driver" | "executor",
  source: LogSource,
): ObservedPod | undefined {
  if (seen === undefined) return undefined;
  const { record } = source;
  const bare = { ...seen, logs: {} };
  const { main, inits, sideCars, name } = viewPod(bare, { role, events: [], mainName: undefined });
  if (role === "executor") {
    const lines = linesOf(record.executorLogs?.[name], record.executorLogsMs?.[name], source);
    return { ...seen, logs: { [main.name]: lines } };
  }
  // One log was kept of each sort: that of the container that did not do well.
  const init =
    inits.find(({ end, status }) => end?.exitCode !== 0 && status?.started !== true) ?? inits.at(-1);
  const [sideCar] = sideCars;
  return {
    ...seen,
    logs: {
      [main.name]: linesOf(record.log, record.logMs, source),
      ...(init === undefined ? {} : { [init.name]: linesOf(record.initLog, record.initLogMs, source) }),
      ...(sideCar === undefined
        ? {}
        : { [sideCar.name]: linesOf(record.sideCarLog, record.sideCarLogMs, source) }),
    },
  };
}

function linesOf(
  text: string | undefined,
  times: readonly number[] | undefined,
  { start, until }: LogSource,
): readonly LogLine[] {
  const lines = (text ?? "").replace(/\n$/, "").split("\n");
  return lines
    .map((line, index) => ({ at: start + (times?.[index] ?? 0), text: line }))
    .filter(({ at, text: line }, index) => at <= until && (line !== "" || index < lines.length - 1));
}

function rejectionOf({ request, status, body }: NonNullable<FaultRecord["rejection"]>): Rejection {
  const [method = "", path = ""] = request.split(" ");
  return { method, path, status, body };
}
