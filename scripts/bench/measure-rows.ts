import { type AtExit, type Command, median, observe, observeTree, timeOf } from "./measure.ts";

/** A command to measure beside bare Node, which is the first row. */
export interface Row {
  readonly name: string;
  readonly command: Command;
  /** Apache's client takes seconds, so it runs in the first rounds only. */
  readonly isApache: boolean;
}

export interface Result {
  readonly name: string;
  readonly ms: number;
  /** Median of the ratios to bare Node in the same round. */
  readonly timeRatio: number;
  readonly cpuMs: number | undefined;
  readonly cpuRatio: number | undefined;
  readonly peakMemoryKiB: number | undefined;
  readonly memoryRatio: number | undefined;
  readonly modules: readonly string[];
  /** Size in bytes of each of Firesteel's chunks that it loaded. */
  readonly parts: Readonly<Record<string, number>>;
}

/**
 * Measures all rows in each round, after one round that warms the page cache and stores compiled code.
 *
 * @param apacheRounds rounds of the rows of Apache's client
 */
export async function measureRows(rows: readonly Row[], rounds: number, apacheRounds = 0): Promise<readonly Result[]> {
  const times = new Map<string, number[]>(rows.map(({ name }) => [name, []]));
  const ratios = new Map<string, number[]>(rows.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    let bare = Number.NaN;
    for (const { name, command, isApache } of rows) {
      if (isApache && (round < 0 || round >= apacheRounds)) continue;
      const ms = await timeOf(command);
      if (Number.isNaN(bare)) bare = ms;
      if (round < 0) continue;
      times.get(name)?.push(ms);
      ratios.get(name)?.push(ms / bare);
    }
  }
  const results: Result[] = [];
  for (const { name, command, isApache } of rows) {
    const runs = isApache ? [] : await observeOften(command);
    const tree = isApache ? await observeTree(command) : undefined;
    const used = {
      peakMemoryKiB: isApache ? tree?.peakMemoryKiB : median(runs.map((run) => run.peakMemoryKiB)),
      cpuMs: isApache ? tree?.cpuMs : median(runs.map((run) => run.cpuMs)),
    };
    const [bare = used] = results;
    results.push({
      name,
      ms: median(times.get(name) ?? []),
      timeRatio: median(ratios.get(name) ?? []),
      ...used,
      cpuRatio: ratio(used.cpuMs, bare.cpuMs),
      memoryRatio: ratio(used.peakMemoryKiB, bare.peakMemoryKiB),
      modules: runs[0]?.modules ?? [],
      parts: runs[0]?.parts ?? {},
    });
  }
  return results;
}

async function observeOften(command: Command): Promise<readonly AtExit[]> {
  const runs: AtExit[] = [];
  for (let count = 0; count < 9; count += 1) runs.push(await observe(command));
  return runs;
}

function ratio(used: number | undefined, bare: number | undefined): number | undefined {
  return used === undefined || bare === undefined ? undefined : used / bare;
}
