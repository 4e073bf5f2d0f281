import type { StopSignal } from "../../errors/stop-signal.ts";
import type { PodLogRequest } from "../api/pod-logs.ts";
import { type LogRecord, parseLogRecord } from "./container-log.ts";
import type { LogSegments } from "./log-segments.ts";

/** Log that may still grow. */
export interface LogFile {
  readonly segments: Pick<LogSegments, "read" | "parts">;
  /** Resolves when the log has grown since the call or ended, or the reader aborted. */
  readonly changed: (signal: StopSignal) => Promise<void>;
  readonly isOpen: () => boolean;
}

type Selection = Pick<PodLogRequest, "follow" | "timestamps" | "tailLines" | "limitBytes" | "since" | "signal">;

const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** Yields a container's log as `kubectl logs` shows it, chunk by chunk; with `follow`, until the container ends. */
export async function* readLog(log: LogFile, selection: Selection): AsyncGenerator<Uint8Array> {
  const { tailLines, since, signal, follow } = selection;
  let left = selection.limitBytes ?? Number.POSITIVE_INFINITY;
  let offset = tailLines === undefined ? 0 : tailOffset(log, tailLines);
  let isLineStart = true;
  while (left > 0 && !signal.aborted) {
    const wasOpen = log.isOpen();
    const changed = follow && wasOpen ? log.changed(signal) : undefined;
    const { records, next } = readRecords(log, offset);
    offset = next;
    const parts: Uint8Array[] = [];
    for (const record of records) {
      if (since !== undefined && Date.parse(record.time) < since) continue;
      parts.push(...shown(record, selection.timestamps && isLineStart));
      isLineStart = record.isCompleteLine;
    }
    const chunk = Buffer.concat(parts).subarray(0, left);
    left -= chunk.length;
    if (chunk.length > 0) yield chunk;
    if (records.length > 0) continue;
    if (changed === undefined) return;
    await changed;
  }
}

function shown({ time, isCompleteLine, text }: LogRecord, withTime: boolean): Uint8Array[] {
  return [...(withTime ? [Buffer.from(`${time} `)] : []), text, ...(isCompleteLine ? [Buffer.from("\n")] : [])];
}

function readRecords({ segments }: LogFile, offset: number): { records: LogRecord[]; next: number } {
  let size = chunkBytes;
  let { at, bytes } = segments.read(offset, size);
  // Read a record that exceeds the chunk completely.
  while (bytes.length === size && !bytes.includes(newline)) {
    size *= 2;
    ({ at, bytes } = segments.read(offset, size));
  }
  const records: LogRecord[] = [];
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    const record = parseLogRecord(bytes.subarray(start, end));
    if (record !== undefined) records.push(record);
    start = end + 1;
  }
  return { records, next: at + start };
}

/** Returns the offset of the last `lines` lines; an incomplete line counts as a line. */
function tailOffset({ segments }: LogFile, lines: number): number {
  let left = lines;
  for (const { start, sizeBytes } of [...segments.parts()].reverse()) {
    const { starts, end } = lineStarts(segments.read(start, sizeBytes).bytes);
    if (left === 0) return start + end;
    const first = starts.at(-left);
    if (first !== undefined) return start + first;
    left -= starts.length;
  }
  return 0;
}

function lineStarts(bytes: Uint8Array): { readonly starts: readonly number[]; readonly end: number } {
  const starts: number[] = [];
  let start = 0;
  let isLineStart = true;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    if (isLineStart) starts.push(start);
    isLineStart = parseLogRecord(bytes.subarray(start, end))?.isCompleteLine ?? true;
    start = end + 1;
  }
  return { starts, end: start };
}
