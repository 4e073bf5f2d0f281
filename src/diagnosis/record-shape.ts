import { objectShape } from "../kube/object-shapes.ts";
import { type Shape, shapeProblem } from "../kube/shape.ts";
import type { Event, KubeResource, Pod } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";
import { parseInstant } from "../values/instant.ts";

/** The JSON of a fault record, as far as a diagnosis reads it. All `ms` are after `startedAt`. */
export interface FaultRecord {
  readonly startedAt: string;
  readonly endMs: number;
  readonly timeline: readonly TimelineEntry[];
  readonly driverPod?: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly objects?: readonly KubeResource[];
  readonly rejection?: {
    readonly ms: number;
    /** `POST /api/v1/…`. */
    readonly request: string;
    readonly status: number;
    readonly body: unknown;
  };
  readonly log?: string;
  readonly logMs?: readonly number[];
  readonly initLog?: string;
  readonly initLogMs?: readonly number[];
  readonly sideCarLog?: string;
  readonly sideCarLogMs?: readonly number[];
  readonly executorLogs?: Readonly<Record<string, string>>;
  readonly executorLogsMs?: Readonly<Record<string, readonly number[]>>;
  /** Lines of all logs, by pod and container; instead of the logs above. */
  readonly containerLogs?: ContainerLogs<string>;
  readonly containerLogsMs?: ContainerLogs<number>;
}

/** A value for each line of each container's log, by pod and container. */
type ContainerLogs<T> = Readonly<Record<string, Readonly<Record<string, readonly T[]>>>>;

/** One change. */
interface TimelineEntry {
  readonly ms: number;
  /** Its spec only where it is new or changed. */
  readonly pod?: Pod;
  readonly deleted?: boolean;
  readonly events?: readonly Event[];
  readonly executors?: readonly Pod[];
  readonly executorsDeleted?: readonly string[];
}

/** A timeline has a line for each second of a record. */
const maxRecordMs = 31 * 24 * 3600 * 1000;

/** True for what has the shape of a record. */
export function isFaultRecord(value: unknown): value is FaultRecord {
  return recordProblem(value) === "";
}

/** Describes what is wrong with a record. Empty for a valid one. */
export function recordProblem(value: unknown): string {
  if (value === undefined) return "it is not JSON";
  if (!isFields(value)) return "it is not a JSON object";
  const { startedAt, endMs, timeline, rejection, properties, objects } = value;
  if (typeof startedAt !== "string" || parseInstant(startedAt) === undefined) return "startedAt is not a time";
  if (typeof endMs !== "number") return "endMs is not a number";
  if (endMs < 0 || endMs > maxRecordMs) return "endMs is not between 0 and 31 days";
  if (!Array.isArray(timeline)) return "timeline is not a list";
  const problem = timeline.map(entryProblem).find((one) => one !== "");
  if (problem !== undefined) return problem;
  if (rejection !== undefined && !isRejection(rejection)) return "rejection is not a rejected request";
  const objectsProblem = objects === undefined ? undefined : shapeProblem(objects, [anyObject], "objects");
  if (objectsProblem !== undefined) return objectsProblem;
  if (properties !== undefined && !isTexts(properties)) return "properties are not texts";
  return logProblem(value);
}

function entryProblem(entry: unknown, index: number): string {
  return shapeProblem(entry, timelineEntry, `timeline[${index}]`) ?? "";
}

const pod = objectShape({ group: "", kind: "Pod" });
const anyObject = objectShape({ group: "", kind: "" });
const timelineEntry: Shape = {
  ...{ "ms!": "number", pod, deleted: "flag", executors: [pod], executorsDeleted: ["text"] },
  events: [objectShape({ group: "", kind: "Event" })],
};

function logProblem(value: Readonly<Record<string, unknown>>): string {
  const wrong = ["log", "initLog", "sideCarLog"].find(
    (name) =>
      !(value[name] === undefined || isText(value[name])) ||
      !(value[`${name}Ms`] === undefined || isListOf(value[`${name}Ms`], isNumber)),
  );
  if (wrong !== undefined) return `${wrong} is not a log`;
  const { executorLogs = {}, executorLogsMs = {} } = value;
  const isFine =
    isTexts(executorLogs) &&
    isFields(executorLogsMs) &&
    Object.values(executorLogsMs).every((times) => isListOf(times, isNumber));
  if (!isFine) return "executorLogs are not logs";
  const { containerLogs, containerLogsMs } = value;
  return isContainerLogs(containerLogs, isText) && isContainerLogs(containerLogsMs, isNumber)
    ? ""
    : "containerLogs are not logs";
}

function isContainerLogs(value: unknown, fits: (item: unknown) => boolean): boolean {
  if (value === undefined) return true;
  const isLogsOfPod = (logs: unknown) => isFields(logs) && Object.values(logs).every((lines) => isListOf(lines, fits));
  return isFields(value) && Object.values(value).every(isLogsOfPod);
}

function isRejection(value: unknown): boolean {
  return isFields(value) && isNumber(value["ms"]) && isText(value["request"]) && isNumber(value["status"]);
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

function isTexts(value: unknown): boolean {
  return isFields(value) && Object.values(value).every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}
