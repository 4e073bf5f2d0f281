import type { Host } from "../../../host/host.ts";
import type { LogSink } from "../watch/follow-driver-log.ts";

/** Identity of a log: a container, and whether it is that of the run before the last restart. */
export interface LogId {
  readonly pod: string;
  readonly container: string;
  readonly isPrevious: boolean;
}

/** A log on disk, in files that follow one another. */
export interface StoredLog extends LogId {
  readonly paths: readonly string[];
  /** Bytes at its beginning that were removed because of the limit. */
  readonly omittedBytes: number;
}

/** Logs of one application in a temporary directory. */
export interface LogStore {
  /** Whether a log has content. */
  readonly has: (id: LogId) => boolean;
  /** Opens a log for writing. What a log of the same identity has stored is replaced. */
  readonly open: (id: LogId) => LogSink;
  /** Writes what is buffered, and lists the logs with content. */
  readonly list: () => readonly StoredLog[];
}

const bufferBytes = 64 * 1024;
/** Limit of one log. The end of a log explains more than its beginning. */
export const maxLogBytes = 64 * 1024 * 1024;

interface OpenLog extends LogId {
  readonly path: string;
  buffer: Uint8Array[];
  bufferedBytes: number;
  currentBytes: number;
  olderBytes: number;
  omittedBytes: number;
}

/**
 * Creates an empty store in a directory.
 *
 * @throws Node's error, from the writes: e.g. ENOSPC
 */
export function logStore({ files }: Pick<Host, "files">, directory: string, limitBytes = maxLogBytes): LogStore {
  const logs = new Map<string, OpenLog>();
  let opened = 0;
  const keyOf = ({ pod, container, isPrevious }: LogId) => JSON.stringify([pod, container, isPrevious]);
  const flush = (log: OpenLog) => {
    if (log.bufferedBytes === 0) return;
    files.append(log.path, Buffer.concat(log.buffer));
    log.currentBytes += log.bufferedBytes;
    log.buffer = [];
    log.bufferedBytes = 0;
    if (log.currentBytes < limitBytes / 2) return;
    files.rename(log.path, olderPath(log));
    log.omittedBytes += log.olderBytes;
    log.olderBytes = log.currentBytes;
    log.currentBytes = 0;
  };
  return {
    has: (id) => hasContent(logs.get(keyOf(id))),
    open(id) {
      const path = `${directory}/${opened}`;
      opened += 1;
      const log = { ...id, path, buffer: [], bufferedBytes: 0, currentBytes: 0, olderBytes: 0, omittedBytes: 0 };
      logs.set(keyOf(id), log);
      return { isTerminal: false, columns: 80, write: (text) => onWrite(log, text, flush) };
    },
    list: () =>
      [...logs.values()].flatMap((log) => {
        flush(log);
        const { pod, container, isPrevious, omittedBytes } = log;
        const paths = [...(log.olderBytes > 0 ? [olderPath(log)] : []), ...(log.currentBytes > 0 ? [log.path] : [])];
        return paths.length === 0 ? [] : [{ pod, container, isPrevious, omittedBytes, paths }];
      }),
  };
}

function hasContent(log: OpenLog | undefined): boolean {
  return log !== undefined && log.bufferedBytes + log.currentBytes + log.olderBytes > 0;
}

function onWrite(log: OpenLog, text: string | Uint8Array, flush: (log: OpenLog) => void): void {
  // Copied: the chunk of the connection, of which a line is a part, would stay in memory.
  const bytes = Buffer.from(text);
  log.buffer.push(bytes);
  log.bufferedBytes += bytes.length;
  if (log.bufferedBytes >= bufferBytes) flush(log);
}

function olderPath({ path }: Pick<OpenLog, "path">): string {
  return `${path}.older`;
}
