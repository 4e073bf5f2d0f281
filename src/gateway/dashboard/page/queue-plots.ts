import type { QueuesJson } from "./api.ts";

type Sample = QueuesJson["samples"][number];

/** Series of a plot: a value of each queue at each time. */
export interface PlotData {
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** Builds a plot of one value of the queues. A queue has no value at times before it existed. */
export function plotOf(samples: readonly Sample[], read: (queue: Sample["queues"][number]) => number): PlotData {
  const names = [...new Set(samples.flatMap(({ queues }) => queues.map(({ queue }) => queue)))].sort();
  return {
    times: samples.map(({ time }) => Date.parse(time) / 1000),
    series: names.map((name) => ({
      name,
      values: samples.map(({ queues }) => {
        const found = queues.find(({ queue }) => queue === name);
        return found === undefined ? null : read(found);
      }),
    })),
  };
}
