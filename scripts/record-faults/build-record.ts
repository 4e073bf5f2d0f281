/** Builds the record of a scenario from what was seen. */
import { homedir, hostname } from "node:os";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import { type Fields, isFields } from "../../src/values/fields.ts";
import { compactRecord } from "../fault-records/compact.ts";
import type { RecordedLog, Recording } from "./recording.ts";
import type { Scenario } from "./scenario.ts";
import type { RecordedRejection } from "./submission.ts";

/** Observations of a scenario. */
export interface Seen {
  readonly scenario: Scenario;
  readonly recording: Recording;
  readonly startedAt: number;
  readonly endMs: number;
  readonly kubernetes: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly objects: readonly KubeResource[];
  readonly rejection: RecordedRejection | undefined;
}

const maxExecutors = 3;
/** As many lines as a diagnosis reads. */
const maxLogLines = 300;
const maxLineLength = 600;

/** Builds the record. Throws if the evidence of the truth is not in it: the fault did not happen. */
export function buildRecord(seen: Seen): Fields {
  const { scenario, recording, startedAt, endMs, properties, objects, rejection } = seen;
  const { id, title, cause, truth, spark, cluster } = scenario;
  const driverName = recording.driver()?.metadata?.name;
  const executors = keptExecutors(recording, driverName);
  const compact = compactRecord({
    ...{ id, cause, startedAt: new Date(startedAt).toISOString(), endMs, properties },
    ...(driverName === undefined ? {} : { driverPod: driverName }),
    truth: { ...truth, knownMs: 0 },
    ...(rejection === undefined ? {} : { rejection }),
    timeline: timelineOf(recording, driverName, executors),
    ...logsOf(recording, driverName, executors),
    objects,
  });
  const timeline = withoutRepeats(listOf(compact["timeline"]));
  const record = anonymous({ ...compact, timeline, title, spark, cluster, kubernetes: seen.kubernetes });
  const missing = truth.evidence.filter(({ in: part, text }) => knownMsOf(record, part, text) === undefined);
  if (missing.length > 0) throw new Error(`${id}: not in the record: ${JSON.stringify(missing)}`);
  const [decisive] = truth.evidence;
  const knownMs = truth.knownMs ?? (decisive && knownMsOf(record, decisive.in, decisive.text)) ?? null;
  const { terminal, mustMention, also } = truth;
  return { ...record, truth: { knownMs, mustMention, terminal, ...(also.length === 0 ? {} : { also }) } };
}

/** Removes pods whose kept fields did not change, and entries without any change. */
function withoutRepeats(timeline: readonly Fields[]): readonly Fields[] {
  const last = new Map<string, string>();
  return timeline.filter((entry) => {
    const pods = [entry["pod"], ...listOf(entry["executors"])].filter(isFields);
    if (pods.length === 0 || entry["deleted"] === true) return true;
    const isChanged = pods.map((pod) => {
      const name = String(fields(pod["metadata"])["name"]);
      const text = JSON.stringify({ ...pod, spec: undefined });
      const isSame = pod["spec"] === undefined && last.get(name) === text;
      last.set(name, text);
      return !isSame;
    });
    return isChanged.includes(true);
  });
}

/** Names the executors of a record: those that failed or had an error first, then the latest. */
function keptExecutors({ changes, logs }: Recording, driverName: string | undefined): ReadonlySet<string> {
  const pods = new Map<string, Pod>();
  for (const { pod } of changes) {
    const name = pod?.object.metadata?.name ?? "";
    if (pod !== undefined && name !== driverName) pods.set(name, pod.object);
  }
  const rank = ([name, { status }]: readonly [string, Pod]) => {
    const hasFailed =
      status?.phase === "Failed" ||
      status?.containerStatuses?.some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
    const hasError = logs.some((log) => log.pod === name && log.lines.some(({ text }) => / ERROR /.test(text)));
    return (hasFailed === true ? 2 : 0) + (hasError ? 1 : 0);
  };
  const sorted = [...pods].reverse().sort((a, b) => rank(b) - rank(a));
  return new Set(sorted.slice(0, maxExecutors).map(([name]) => name));
}

function timelineOf({ changes }: Recording, driverName: string | undefined, executors: ReadonlySet<string>) {
  const specs = new Map<string, string>();
  return changes.flatMap(({ ms, pod, event }): readonly Fields[] => {
    if (event !== undefined) return [{ ms, events: [event] }];
    const name = pod?.object.metadata?.name ?? "";
    if (pod === undefined || (name !== driverName && !executors.has(name))) return [];
    const spec = JSON.stringify(pod.object.spec);
    const { spec: _, ...unchanged } = pod.object;
    const object = specs.get(name) === spec ? unchanged : pod.object;
    specs.set(name, spec);
    if (name === driverName) return [{ ms, pod: object, ...(pod.isDeleted ? { deleted: true } : {}) }];
    return [pod.isDeleted ? { ms, executorsDeleted: [name] } : { ms, executors: [object] }];
  });
}

function logsOf({ logs, driver }: Recording, driverName: string | undefined, executors: ReadonlySet<string>): Fields {
  const own = logs.filter(({ pod }) => pod === driverName);
  const { initContainers = [], containers = [] } = driver()?.spec ?? {};
  const main = containers.find(({ name }) => name === "spark-kubernetes-driver") ?? containers[0];
  const init = initContainers
    .map(({ name }) => own.findLast(({ container }) => container === name))
    .filter(isDefined)
    .at(-1);
  const sidecar = own.find(({ container }) => containers.some(({ name }) => name === container && name !== main?.name));
  const driverLog = own.findLast(({ container }) => container === main?.name);
  const ofExecutors = logs.filter(({ pod }) => executors.has(pod)).map((log) => ({ name: log.pod, ...printed(log) }));
  return {
    ...named("log", driverLog),
    ...named("initLog", init),
    ...named("sideCarLog", sidecar),
    executorLogs: Object.fromEntries(ofExecutors.map(({ name, text }) => [name, text])),
    executorLogsMs: Object.fromEntries(ofExecutors.map(({ name, times }) => [name, times])),
  };
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function named(name: string, log: RecordedLog | undefined): Fields {
  if (log === undefined) return {};
  const { text, times } = printed(log);
  return { [name]: text, [`${name}Ms`]: times };
}

function printed({ lines }: RecordedLog) {
  const last = lines.slice(-maxLogLines);
  return { text: last.map(({ text }) => text.slice(0, maxLineLength)).join("\n"), times: last.map(({ ms }) => ms) };
}

/** Replaces what identifies the machine of the recording. */
function anonymous(record: Fields): Fields {
  const text = JSON.stringify(record)
    .replaceAll(`${homedir()}/`, "/home/me/")
    .replaceAll(process.cwd(), "/home/me/firesteel")
    .replaceAll(hostname(), "machine");
  const value: unknown = JSON.parse(text);
  return isFields(value) ? value : record;
}

/** Returns when a text was first in a part of a record (ms). */
function knownMsOf(record: Fields, part: string, text: string): number | undefined {
  if (part.endsWith("og")) {
    const logs = part === "executorLog" ? Object.entries(fields(record["executorLogs"])) : [[part, record[part]]];
    for (const [name, log] of logs) {
      const times = part === "executorLog" ? fields(record["executorLogsMs"])[String(name)] : record[`${part}Ms`];
      const index = String(log ?? "")
        .split("\n")
        .findIndex((line) => line.includes(text));
      if (index !== -1) return Array.isArray(times) ? Number(times[index]) : 0;
    }
    return undefined;
  }
  if (part === "rejection" || part === "object") {
    const found = JSON.stringify(record[part === "object" ? "objects" : part] ?? "").includes(
      JSON.stringify(text).slice(1, -1),
    );
    return found ? Number(fields(record["rejection"])["ms"] ?? 0) : undefined;
  }
  const key = { pod: "pod", event: "events", executor: "executors" }[part] ?? part;
  const entries = Array.isArray(record["timeline"]) ? record["timeline"].filter(isFields) : [];
  const entry = entries.find(
    (one) =>
      JSON.stringify(one[key] ?? "", null, 1).includes(text) ||
      JSON.stringify(one[key] ?? "").includes(JSON.stringify(text).slice(1, -1)),
  );
  return entry === undefined ? undefined : Number(entry["ms"]);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}
