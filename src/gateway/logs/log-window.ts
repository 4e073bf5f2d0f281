import type { LogPage, LogRange } from "../model/applications.ts";

/** Reader of a log that keeps only the lines of a range, however long the log is. */
export interface LogWindow {
  /** Takes the next bytes of the log. */
  readonly push: (bytes: Uint8Array) => void;
  readonly addLines: (lines: readonly string[]) => void;
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
  const take = (line: string) => {
    const isKept = "last" in range || (total >= range.from && total < range.from + range.count);
    if (isKept) kept.push(line.slice(0, maxLineLength));
    if ("last" in range && kept.length > range.last) kept.shift();
    total += 1;
  };
  const finish = () => {
    if (rest !== "") take(rest);
    rest = "";
  };
  return {
    push(bytes) {
      const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
      if (others.length === 0) {
        if (rest.length < maxLineLength) rest += first;
        return;
      }
      take(rest + first);
      rest = others.pop() ?? "";
      for (const line of others) take(line);
    },
    addLines(lines) {
      finish();
      for (const line of lines) take(line);
    },
    page() {
      finish();
      const from = "last" in range ? total - kept.length : range.from;
      return { lines: kept, from, total };
    },
  };
}
