import { numberTable } from "../measure.ts";
import type { Totals } from "./applications.ts";
import { bars, type Growth, growthRule, type Sample } from "./memory.ts";

/** State at the end of a minute. */
export interface Minute extends Totals {
  /** From 1. */
  readonly minute: number;
  /** Process of the gateway. */
  readonly pid: number;
  readonly mebibytes: number;
  /** Memory of the embedded API. */
  readonly apiMiB: number;
  /** Whether the API was away. */
  readonly isOut: boolean;
}

/** Result of a soak. */
export interface SoakReport {
  readonly machine: string;
  readonly minutes: readonly Minute[];
  readonly samples: readonly Sample[];
  readonly totals: Totals;
  /** Drivers that listings have shown. */
  readonly drivers: number;
  readonly problems: readonly string[];
  readonly growth: readonly Growth[];
  readonly isPassed: boolean;
}

const maxProblems = 50;

/** Prints a report with the memory of each minute as a table with bars. */
export function printSoak({ machine, minutes, totals, drivers, problems, growth, isPassed }: SoakReport): string {
  const plot = bars(minutes.map(({ mebibytes }) => mebibytes));
  const rows = minutes.map((row, index) => [
    `${row.minute}${row.isOut ? " (API away)" : ""}`,
    ...[row.pid, row.mebibytes.toFixed(0), row.apiMiB.toFixed(0)].map(String),
    ...[row.acknowledged, row.ended, row.repeated, plot[index] ?? ""].map(String),
  ]);
  const head = ["minute", "process", "MiB", "API MiB", "acknowledged", "ended", "repeated requests", ""];
  const failures = [
    ...(problems.length === 0 ? [] : [`${problems.length} problems`]),
    ...growth.filter(({ hasGrown }) => hasGrown).map(({ name }) => `memory grew (${name})`),
  ];
  return [
    ...[machine, "", ...numberTable(head, rows), ""],
    `Acknowledged: ${totals.acknowledged}. Drivers listed: ${drivers}. Ended as expected: ${totals.ended}. Not submitted: ${totals.skipped}.`,
    "",
    ...numberTable(
      ["memory", "second quarter, MiB", "last quarter, MiB"],
      growth.map(({ name, earlyMiB, lateMiB }) => [name, earlyMiB.toFixed(0), lateMiB.toFixed(0)]),
    ),
    "",
    `Memory has grown if ${growthRule}.`,
    ...problems.slice(0, maxProblems),
    ...(problems.length > maxProblems ? [`… and ${problems.length - maxProblems} more`] : []),
    isPassed
      ? "Passed: nothing was lost or submitted twice, and memory did not grow."
      : `Failed: ${failures.join(", ")}.`,
    "",
  ].join("\n");
}
