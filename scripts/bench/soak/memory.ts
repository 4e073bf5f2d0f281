import { median } from "../measure.ts";

/** Memory of a process at a time. */
export interface Sample {
  /** Since the start of the soak. */
  readonly seconds: number;
  readonly pid: number;
  readonly mebibytes: number;
}

/** Memory of one process, or of one process during an outage. */
export interface Growth {
  readonly name: string;
  /** Median of the second quarter: the first one is the warm-up. */
  readonly earlyMiB: number;
  /** Median of the last quarter. */
  readonly lateMiB: number;
  readonly hasGrown: boolean;
}

/** Fewer samples show nothing: a quarter needs several. */
const minSamples = 16;
/** Growth that counts: V8 lets its heap vary by less. */
const limits = { share: 0.2, mebibytes: 16 };

/** The rule of {@link growthOf}, for the report. */
export const growthRule =
  `the median of the last quarter is above that of the second quarter by more than ${limits.share * 100} % and ` +
  `${limits.mebibytes} MiB`;

/** Compares the quarters of some samples; `undefined` if they are too few. */
export function growthOf(name: string, samples: readonly Sample[]): Growth | undefined {
  if (samples.length < minSamples) return undefined;
  const quarter = samples.length / 4;
  const medianOf = (from: number, to: number) =>
    median(samples.slice(Math.floor(from * quarter), Math.floor(to * quarter)).map(({ mebibytes }) => mebibytes));
  const [earlyMiB, lateMiB] = [medianOf(1, 2), medianOf(3, 4)];
  const growth = lateMiB - earlyMiB;
  return { name, earlyMiB, lateMiB, hasGrown: growth > limits.mebibytes && growth > earlyMiB * limits.share };
}

/** Compares the quarters of each process, and of the outage. */
export function growths(
  samples: readonly Sample[],
  outage: { readonly fromSeconds: number; readonly toSeconds: number } | undefined,
): readonly Growth[] {
  const pids = new Set(samples.map(({ pid }) => pid));
  const parts = [...pids].map((pid) => growthOf(`process ${pid}`, ofProcess(samples, pid)));
  const inOutage =
    outage && samples.filter(({ seconds }) => seconds >= outage.fromSeconds && seconds < outage.toSeconds);
  return [...parts, inOutage && growthOf("outage of the API", inOutage)].filter((part) => part !== undefined);
}

function ofProcess(samples: readonly Sample[], pid: number): readonly Sample[] {
  return samples.filter((sample) => sample.pid === pid);
}

const barLength = 30;

/** Returns a bar for each number; the longest is that of the largest number. */
export function bars(numbers: readonly number[]): readonly string[] {
  const largest = Math.max(...numbers);
  return numbers.map((number) => "█".repeat(Math.round((number / largest) * barLength)));
}
