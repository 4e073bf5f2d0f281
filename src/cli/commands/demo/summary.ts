import { type AppTimeline, driverTimeline, type PodTimeline } from "./pod-timeline.ts";

/** One step of the demonstration and how long it took. */
export interface Stage {
  readonly name: string;
  readonly ms: number;
}

/** What there is to tell at the end. */
export interface DemoResult {
  /** The line of the log that tells the application's result. */
  readonly result: string | undefined;
  readonly exitCode: number;
  readonly story: AppTimeline;
  readonly stages: readonly Stage[];
  /** One sentence: where the pods ran. */
  readonly place: string;
  /** Commands to try next, each with what it does. */
  readonly next: readonly (readonly [command: string, what: string])[];
}

/** The stages that show in the pods' lives, given when the submission began. */
export function stagesOf(story: AppTimeline, submitted: number): readonly Stage[] {
  const driver = driverTimeline(story);
  const executors = story.pods.filter((pod) => pod !== driver);
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

/** The closing page of the demonstration. */
export function printSummary({ result, exitCode, story, stages, place, next }: DemoResult): string {
  const pods = story.pods.map((pod) => [pod.role, pod.name, pod.address ?? "-", pod.state, life(pod)]);
  const total = { name: "in all", ms: stages.reduce((sum, { ms }) => sum + ms, 0) };
  return [
    "",
    result ?? `The driver ended with exit code ${exitCode}.`,
    "",
    `What ran (${place})`,
    ...table(pods),
    "",
    "How long it took",
    ...table([...stages, total].map(({ name, ms }) => [name, seconds(ms)])),
    "",
    "Next",
    ...table(next),
    "",
  ].join("\n");
}

function life({ running, finished }: PodTimeline): string {
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
  return rows.map((row) =>
    `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd(),
  );
}
