import { goQuoted } from "../../../../values/go-quoted.ts";

/** Result of checking a list of indexes. */
interface CheckedIndexes {
  /** Number of indexes; 0 if the list is invalid. */
  readonly total: number;
  /** Kubernetes' message about an invalid list. */
  readonly fault?: string;
}

type Interval = readonly [first: number, last: number];

/** Checks a list of indexes below a limit, e.g. `0-2,5`. */
export function checkIndexes(text: string, limit: number): CheckedIndexes {
  let total = 0;
  let previous = -1;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = readInterval(part, limit);
    if (typeof interval === "string") return { total: 0, fault: interval };
    const [first, last] = interval;
    if (previous >= first) return { total: 0, fault: disorder(previous, first) };
    total += last - first + 1;
    previous = last;
  }
  return { total };
}

function disorder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

/** Reads `0-2` or `5`. @returns the message of a failure as text */
function readInterval(part: string, limit: number): Interval | string {
  const texts = part.split("-");
  if (texts.length > 2) {
    const rule = "the requirement that an index interval can have at most two parts separated by '-'";
    return `the fragment ${goQuoted(part)} violates ${rule}`;
  }
  for (const text of texts) {
    if (!/^\+?\d+$/.test(text)) return `cannot convert string to integer for index: ${goQuoted(text)}`;
    if (Number(text) >= limit) return `too large index: ${goQuoted(text)}`;
  }
  const [first = 0, last = first] = texts.map(Number);
  return texts.length === 2 && first >= last ? disorder(first, last) : [first, last];
}

/** Returns the message about failed indexes that are also completed. */
export function overlapFault(completed: string, failed: string, limit: number): string | undefined {
  const intervals = (text: string) =>
    text.split(",").flatMap((part) => {
      const interval = readInterval(part, limit);
      return typeof interval === "string" ? [] : [interval];
    });
  for (const [firstCompleted, lastCompleted] of intervals(completed))
    for (const [firstFailed, lastFailed] of intervals(failed))
      if (firstCompleted <= lastFailed && firstFailed <= lastCompleted)
        return `failedIndexes and completedIndexes overlap at index: ${Math.max(firstCompleted, firstFailed)}`;
  return undefined;
}
