import type { LogPage, LogRange } from "../model/applications.ts";

/** Reader of a log that keeps only the lines of a range, however long the log is. */
export interface LogWindow {
  /** Takes the next bytes of the log. */
  readonly push: (bytes: Uint8Array) => void;
  readonly addLines: (lines: readonly string[]) => void;
  /** Continues with the line of this number: those before it are not known, or not needed. */
  readonly skipTo: (number: number) => void;
  /** Whether further lines change only the total. */
  readonly isFull: () => boolean;
  /** Removes the complete lines that were kept, and returns them. */
  readonly takeLines: () => LogPage;
  /** Returns the page. A last line without its end counts. */
  readonly page: () => LogPage;
}

/** Longest line, in characters; the rest of it is dropped. */
const maxLineLength = 64 * 1024;

/** Creates a reader. */
export function logWindow(range: LogRange): LogWindow {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let [total, rest] = [0, ""];
  /** Number of the first line that is kept. */
  let first: number | undefined;
  const take = (line: string) => {
    const isKept = "last" in range || (total >= range.from && total < range.from + range.count);
    if (isKept) {
      first ??= total;
      kept.push(line.slice(0, maxLineLength));
    }
    if ("last" in range && kept.length > range.last) kept.shift();
    total += 1;
  };
  const finish = () => {
    if (rest !== "") take(rest);
    rest = "";
  };
  return {
    push(bytes) {
      const [start = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
      if (others.length === 0) {
        if (rest.length < maxLineLength) rest += start;
        return;
      }
      take(rest + start);
      rest = others.pop() ?? "";
      for (const line of others) take(line);
    },
    addLines(lines) {
      finish();
      for (const line of lines) take(line);
    },
    skipTo(number) {
      rest = "";
      if (number <= total) return;
      total = number;
      // A page has consecutive lines.
      if ("last" in range) kept.length = 0;
    },
    isFull: () => "count" in range && kept.length >= range.count,
    takeLines() {
      const [lines, from] = [kept.splice(0), first ?? total];
      first = undefined;
      return { lines, from, total };
    },
    page() {
      finish();
      const from = "last" in range ? total - kept.length : (first ?? range.from);
      return { lines: kept, from, total };
    },
  };
}
