import type { LogSegments } from "./log-segments.ts";

/** Writer of a container's output, line by line. */
export interface LogWriter {
  readonly write: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** Writes remaining text that has no line break, and marks the log as complete. */
  readonly end: () => void;
}

const newline = 0x0a;
/** Longer lines are written in parts, so that readers see them before they end. */
const maxPartBytes = 16 * 1024;

/**
 * Appends records `<time> <stream> F|P <text>` to a log: F ends a line, P is a part of one.
 *
 * Source: the Kubernetes container runtime interface's log format. Times have nine digits, e.g.
 * `2026-01-31T12:00:00.123000000Z`.
 */
export function logWriter(segments: Pick<LogSegments, "append">, now: () => number, onWritten: () => void): LogWriter {
  let lostBytes = 0;
  const pending = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const record = (stream: string, tag: "F" | "P", text: Buffer) =>
    Buffer.concat([Buffer.from(`${logTime(now())} ${stream} ${tag} `), text, Buffer.from("\n")]);
  const append = (records: readonly Buffer[]) => {
    if (records.length === 0) return;
    const note = () => [Buffer.from("\n"), record("stderr", "F", lostNote(lostBytes))];
    const content = Buffer.concat([...(lostBytes === 0 ? [] : note()), ...records]);
    try {
      segments.append(content);
      lostBytes = 0;
    } catch {
      // Typically the disk is full: neither the container nor the cluster must end because of it.
      for (const { length } of records) lostBytes += length;
      return;
    }
    onWritten();
  };
  return {
    write(stream, chunk) {
      let rest = Buffer.concat([pending[stream], chunk]);
      const records: Buffer[] = [];
      for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
        records.push(record(stream, "F", rest.subarray(0, end)));
        rest = rest.subarray(end + 1);
      }
      while (rest.length >= maxPartBytes) {
        records.push(record(stream, "P", rest.subarray(0, maxPartBytes)));
        rest = rest.subarray(maxPartBytes);
      }
      pending[stream] = Buffer.from(rest);
      append(records);
    },
    end() {
      append(
        (["stdout", "stderr"] as const)
          .filter((stream) => pending[stream].length > 0)
          .map((stream) => record(stream, "P", pending[stream])),
      );
      onWritten();
    },
  };
}

function lostNote(bytes: number): Buffer {
  return Buffer.from(`firesteel: ${bytes} bytes of this log could not be written`);
}

function logTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
}

/** Record of a log file. */
export interface LogRecord {
  /** Time as written in the log. */
  readonly time: string;
  readonly isCompleteLine: boolean;
  readonly text: Uint8Array;
}

/** Parses one record without its line break; returns `undefined` for anything else. */
export function parseLogRecord(line: Uint8Array): LogRecord | undefined {
  const head = Buffer.from(line.subarray(0, 50)).toString("latin1");
  const match = /^(\S+) (?:stdout|stderr) ([FP]) /.exec(head);
  const [matched = "", time = "", tag] = match ?? [];
  if (match === null) return undefined;
  return { time, isCompleteLine: tag === "F", text: line.subarray(matched.length) };
}
