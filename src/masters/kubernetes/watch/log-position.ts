/** Position in a log with timestamps, from which reading continues after a broken connection. */
export interface LogPosition {
  /** Starts another request. Returns the start time to request (RFC 3339, whole seconds); `undefined` for the complete log. */
  readonly restart: () => string | undefined;
  /** Returns a line without its timestamp; `undefined` for a line that was read before. */
  readonly accept: (line: Buffer) => Buffer | undefined;
  /** Returns a further part of a line that was cut; `undefined` if it was read before. */
  readonly acceptPart: (part: Buffer) => Buffer | undefined;
}

/**
 * Creates a position at the start of a log.
 *
 * The API accepts start times in whole seconds. A repeated request therefore skips as many lines as were read since that
 * second. The request starts one second earlier, because lines of stdout and stderr can be slightly out of order.
 */
export function logPosition(): LogPosition {
  const read = new Map<number, number>();
  let newest = Number.NEGATIVE_INFINITY;
  let skip = 0;
  // The parts of a line count as lines: each request cuts it at the same bytes.
  const accept = (at: number, rest: Buffer) => {
    // A newer line has not been read yet, even if the node dropped some of the counted lines.
    if (at > newest) skip = 0;
    if (skip > 0) {
      skip -= 1;
      return undefined;
    }
    newest = Math.max(newest, at);
    read.set(at, (read.get(at) ?? 0) + 1);
    for (const old of read.keys()) if (old < newest - 1) read.delete(old);
    return rest;
  };
  return {
    restart() {
      skip = [...read.values()].reduce((sum, count) => sum + count, 0);
      // Without a timestamp, the server can only send the complete log.
      if (!Number.isFinite(newest)) return undefined;
      return `${new Date((newest - 1) * 1000).toISOString().slice(0, 19)}Z`;
    },
    accept(line) {
      const { second, rest } = parseLine(line);
      return accept(second ?? newest, rest);
    },
    acceptPart: (part) => accept(newest, part),
  };
}

const maxStampBytes = 64;
const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d) ?/;

/** Parses `2026-01-01T00:00:00.123456789Z text`. Without a timestamp, `second` is undefined. */
function parseLine(line: Buffer): { second: number | undefined; rest: Buffer } {
  const match = stamped.exec(line.toString("latin1", 0, maxStampBytes));
  if (match === null) return { second: undefined, rest: line };
  const [head, time = "", zone = ""] = match;
  return { second: Date.parse(`${time}${zone}`) / 1000, rest: line.subarray(head.length) };
}
