/** How far a log with timestamps has been read, so that reading can go on after a break. */
export interface LogPosition {
  /** Begins a reading; gives the time to ask lines from (RFC 3339, whole seconds), `undefined` for all. */
  readonly restart: () => string | undefined;
  /** The text of a line, its timestamp taken off; `undefined` for one that was read before. */
  readonly accept: (line: string) => string | undefined;
}

/**
 * Begins at the start of a log.
 *
 * A log is asked for again from a whole second on, because that is how exact the API is; of what comes, as many lines
 * are skipped as were read from that second on. Two seconds are asked for, because lines of stdout and stderr may stand
 * a little out of order.
 */
export function logPosition(): LogPosition {
  const read = new Map<number, number>();
  let newest = Number.NEGATIVE_INFINITY;
  let skip = 0;
  return {
    restart() {
      skip = [...read.values()].reduce((sum, count) => sum + count, 0);
      // Nothing read, or a server that gives no times: from the start.
      if (!Number.isFinite(newest)) return undefined;
      return `${new Date((newest - 1) * 1000).toISOString().slice(0, 19)}Z`;
    },
    accept(line) {
      const { second, text } = parseLine(line);
      const at = second ?? newest;
      // A line newer than all that was read ends the skipping, whatever the count says.
      if (at > newest) skip = 0;
      if (skip > 0) {
        skip -= 1;
        return undefined;
      }
      newest = Math.max(newest, at);
      read.set(at, (read.get(at) ?? 0) + 1);
      for (const old of read.keys()) if (old < newest - 1) read.delete(old);
      return text;
    },
  };
}

const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d) ?/;

/** Takes `2026-01-01T00:00:00.123456789Z text` apart; a line without a time belongs to the one before. */
function parseLine(line: string): { second: number | undefined; text: string } {
  const match = stamped.exec(line);
  if (match === null) return { second: undefined, text: line };
  const [head, time = "", zone = ""] = match;
  return { second: Date.parse(`${time}${zone}`) / 1000, text: line.slice(head.length) };
}
