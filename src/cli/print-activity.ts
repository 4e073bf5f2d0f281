import type {
  ApplicationActivity,
  ExecutorActivity,
  StageActivity,
} from "../masters/kubernetes/applications/application-activity.ts";
import { printSpan } from "../masters/print-span.ts";
import { printTable } from "./print-table.ts";

/** Prints the activity of an application: its numbers, then its stages and executors as tables. */
export function printActivity(activity: ApplicationActivity, nowMs: number): string {
  const { appName, appId, startedMs, runningJobs, stages, executors } = activity;
  const span = startedMs === undefined ? "" : `, ${printSpan(Math.max(0, nowMs - startedMs))}`;
  const workers = executors.filter(({ id }) => id !== "driver");
  const cores = sum(workers, (executor) => executor.cores);
  const counts = [
    numberOf(runningJobs, "running job"),
    numberOf(
      sum(stages, ({ tasks }) => tasks.active),
      "running task",
    ),
    `${numberOf(workers.length, "executor")} with ${numberOf(cores, "core")}`,
  ];
  return [
    `${appName} (${appId})${span}: ${counts.join(", ")}\n`,
    stages.length === 0 ? "" : `\n${printTable(stageColumns, stages.map(stageRow))}`,
    executors.length === 0 ? "" : `\n${printTable(executorColumns, executors.map(executorRow))}`,
  ].join("");
}

const stageColumns = ["STAGE", "DONE", "RUNNING", "FAILED", "INPUT", "SHUFFLE READ", "SHUFFLE WRITE", "NAME"];

function stageRow({ id, attempt, tasks, name, ...bytes }: StageActivity): readonly string[] {
  return [
    attempt === 0 ? String(id) : `${id}.${attempt}`,
    `${tasks.done}/${tasks.all}`,
    ...[tasks.active, tasks.failed].map(String),
    ...[bytes.inputBytes, bytes.shuffleReadBytes, bytes.shuffleWriteBytes].map(printBytes),
    name,
  ];
}

const executorColumns = [
  ...["EXECUTOR", "CORES", "RUNNING", "DONE", "FAILED", "GC", "PEAK HEAP", "STORAGE", "SHUFFLE READ", "SHUFFLE WRITE"],
];

function executorRow(executor: ExecutorActivity): readonly string[] {
  const { id, cores, tasks, gcMs, peakHeapBytes, storage } = executor;
  return [
    id,
    ...[cores, tasks.active, tasks.done, tasks.failed].map(String),
    printSpan(gcMs),
    peakHeapBytes === undefined ? "-" : printBytes(peakHeapBytes),
    `${printBytes(storage.usedBytes)} of ${printBytes(storage.maxBytes)}`,
    ...[executor.shuffleReadBytes, executor.shuffleWriteBytes].map(printBytes),
  ];
}

function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Prints an amount in the largest unit that it has, e.g. `1.5 GiB`. */
function printBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}
