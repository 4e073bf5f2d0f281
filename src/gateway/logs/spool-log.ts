import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import type { Host } from "../../host/host.ts";
import type { LogPage } from "../model/applications.ts";
import { logWindow } from "./log-window.ts";

/** A log that was read to its end. */
export interface SpooledLog {
  /** Last lines. */
  readonly tail: LogPage;
  /** Failure of the source before the end of the log. */
  readonly readError?: unknown;
  /** Failure to write the file, which then does not exist. */
  readonly writeError?: unknown;
}

interface Spool {
  readonly lastLines: number;
  /** File for the complete log, compressed with gzip; its directory exists. @default only the last lines are read */
  readonly file?: { readonly files: Host["files"]; readonly path: string };
}

/** Reads a log to its end. A failure to write does not end the reading. Memory use does not depend on the size of the log. */
export async function spoolLog(log: AsyncIterable<Uint8Array>, { file, lastLines }: Spool): Promise<SpooledLog> {
  const window = logWindow({ last: lastLines });
  const failures: { readError?: unknown; writeError?: unknown } = {};
  const observed = async function* () {
    try {
      for await (const bytes of log) {
        window.push(bytes);
        yield bytes;
      }
    } catch (error) {
      failures.readError = error;
    }
  };
  if (file === undefined) for await (const _ of observed());
  else await compress(observed(), file, failures);
  return { tail: limitTail(window.page()), ...failures };
}

/** Limit of the lines in a record, in characters: the API rejects objects of more than a megabyte. */
const maxTailLength = 150_000;

/** Removes lines at the beginning until the others fit into a record. */
function limitTail({ lines, total }: LogPage): LogPage {
  let [start, length] = [lines.length, 0];
  while (start > 0) {
    length += lines[start - 1]?.length ?? 0;
    if (length > maxTailLength) break;
    start -= 1;
  }
  return { lines: lines.slice(start), from: total - (lines.length - start), total };
}

async function compress(
  log: AsyncIterable<Uint8Array>,
  { files, path }: NonNullable<Spool["file"]>,
  failures: { writeError?: unknown },
): Promise<void> {
  const write = (action: () => void) => {
    if ("writeError" in failures) return;
    try {
      action();
    } catch (error) {
      failures.writeError = error;
    }
  };
  write(() => files.write(path, "", { mode: 0o600 }));
  const compressed = createGzip();
  pipeline(log, compressed, () => {});
  for await (const chunk of compressed) write(() => files.append(path, new Uint8Array(chunk)));
  if (!("writeError" in failures)) return;
  try {
    files.remove(path);
  } catch {
    // The failure to write has the reason.
  }
}
