import { type AppTimeline, driverTimeline, type PodTimeline } from "./pod-timeline.ts";

/** A step of the demonstration and its duration. */
export interface Stage {
  readonly name: string;
  readonly ms: number;
}

/** Content of the summary. */
export interface DemoResult {
  /** Log line with the application's result. */
  readonly result: string | undefined;
  readonly exitCode: number;
  readonly timeline: AppTimeline;
  readonly stages: readonly Stage[];
  /** Description of where the pods ran. */
  readonly environment: string;
  /** Commands to try next, each with a description. */
  readonly next: readonly (readonly [command: string, description: string])[];
}

/** Derives stages from the timelines of the pods, and the start time of the submission. */
export function stagesOf(timeline: AppTimeline, submitted: number): readonly Stage[] {
  const driver = driverTimeline(timeline);
  const executors = timeline.pods.filter((pod) => pod !== driver);
  const executor = Math.min(...executors.map(({ running }) => running ?? Number.POSITIVE_INFINITY));
  const moments: readonly (readonly [name: string, moment: number | undefined])[] = [
    ["submit", driver?.created],
    ["start the driver", driver?.running],
    ["get an executor", executor],
    ["run", driver?.finished],
  ];
  let last = submitted;
  return moments.flatMap(([name, moment]) => {
    if (moment === undefined || !Number.isFinite(moment) || moment < last) return [];
    const ms = moment - last;
    last = moment;
    return [{ name, ms }];
  });
}

/** Prints the summary at the end of the demonstration. */
export function printSummary({ result, exitCode, timeline, stages, environment, next }: DemoResult): string {
  const pods = timeline.pods.map((pod) => [pod.role, pod.name, pod.address ?? "-", pod.state, runtime(pod)]);
  const total = { name: "total", ms: stages.reduce((sum, { ms }) => sum + ms, 0) };
  return [
    "",
    result ?? `The driver ended with exit code ${exitCode}.`,
    "",
    `Pods (${environment})`,
    ...table(pods),
    "",
    "Durations",
    ...table([...stages, total].map(({ name, ms }) => [name, seconds(ms)])),
    "",
    "Next steps",
    ...table(next),
    "",
  ].join("\n");
}

function runtime({ running, finished }: PodTimeline): string {
  return running === undefined || finished === undefined ? "-" : seconds(finished - running);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd());
}
