/** Completion indexes as runs of consecutive numbers, in order: `[[0, 2], [5, 5]]`. */
export type IndexSet = readonly (readonly [first: number, last: number])[];

/** Parses the indexes below a limit, e.g. `0-2,5`. Ignores malformed parts. */
export function parseIndexes(text: string | undefined, limit: number): IndexSet {
  const runs = (text ?? "").split(",").flatMap((part) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    const first = Number(match?.[1]);
    return match === null || first >= limit ? [] : [[first, Math.min(Number(match[2] ?? first), limit - 1)] as const];
  });
  return unite(runs, []);
}

/** Prints indexes like Kubernetes: `0-2,5,6`. */
export function printIndexes(indexes: IndexSet): string {
  return indexes
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`))
    .join(",");
}

/** Returns the number of indexes. */
export function sizeOf(indexes: IndexSet): number {
  return indexes.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Whether a set contains an index. */
export function hasIndex(indexes: IndexSet, index: number): boolean {
  return indexes.some(([first, last]) => first <= index && index <= last);
}

/** Adds single indexes to a set. */
export function withIndexes(indexes: IndexSet, more: Iterable<number>): IndexSet {
  return unite(
    indexes,
    [...more].map((index) => [index, index]),
  );
}

/** Returns the indexes that are in at least one of two sets. */
export function unite(a: IndexSet, b: IndexSet): IndexSet {
  const united: [number, number][] = [];
  for (const [first, last] of [...a, ...b].sort((left, right) => left[0] - right[0])) {
    const previous = united.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else united.push([first, last]);
  }
  return united;
}

/** Returns how many indexes two sets have in common. */
export function sizeOfOverlap(a: IndexSet, b: IndexSet): number {
  return sizeOf(a) + sizeOf(b) - sizeOf(unite(a, b));
}

/** Returns the lowest indexes below a limit that a set does not contain. @param count maximum number of them */
export function firstMissing(indexes: IndexSet, limit: number, count: number): number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const [first, last] of [...indexes, [limit, limit] as const]) {
    for (; candidate < Math.min(first, limit) && missing.length < count; candidate++) missing.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}
