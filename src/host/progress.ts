import type { Host } from "./host.ts";
import { indentedLines, visibleLine } from "./visible-text.ts";

/** Reports the progress of a long preparation. */
export interface Progress {
  /** Prints a line. */
  readonly note: (text: string) => void;
  /** Starts to show a transfer, e.g. of `Spark 4.3.0`. */
  readonly transfer: (what: string) => Transfer;
}

/** A transfer that is being shown. */
export interface Transfer {
  /** Bytes so far, and in total if known. */
  readonly update: (bytes: number, totalBytes?: number) => void;
  /** Ends the line of a terminal, if one was shown. */
  readonly end: () => void;
}

const terminalIntervalMs = 200;
const plainIntervalMs = 10_000;

/** Shows progress on stderr: on a terminal a line that changes, elsewhere a line every 10 s. */
export function showProgress(host: Host): Progress {
  const { stderr, clock } = host;
  return {
    note: (text) => stderr.write(`${indentedLines(text)}\n`),
    transfer(what) {
      const started = clock.monotonic();
      let shown = started;
      let shownBytes = 0;
      let line: string | undefined;
      return {
        update(bytes, totalBytes) {
          const now = clock.monotonic();
          if (bytes <= shownBytes) return;
          if (now - shown < (stderr.isTerminal ? terminalIntervalMs : plainIntervalMs)) return;
          shown = now;
          shownBytes = bytes;
          line = visibleLine(printTransfer(what, { bytes, totalBytes, elapsedMs: now - started }));
          // The terminal cannot overwrite a line that wraps.
          const visible = line.slice(0, stderr.columns - 1);
          stderr.write(stderr.isTerminal ? Buffer.from(`\r${visible}\u001b[K`) : `${line}\n`);
        },
        end() {
          if (line !== undefined && stderr.isTerminal) stderr.write("\n");
          line = undefined;
        },
      };
    },
  };
}

function printTransfer(
  what: string,
  { bytes, totalBytes, elapsedMs }: { bytes: number; totalBytes: number | undefined; elapsedMs: number },
): string {
  const of = totalBytes === undefined ? "" : ` of ${megabytes(totalBytes)}`;
  const rate = elapsedMs > 0 ? `, ${(bytes / 1000 / elapsedMs).toFixed(1)} MB/s` : "";
  const isOpen = totalBytes !== undefined && totalBytes > bytes && bytes > 0;
  const left = isOpen ? `, ${printSeconds(((totalBytes - bytes) / bytes) * elapsedMs)} left` : "";
  return `${what}: ${megabytes(bytes)}${of} MB${rate}${left}`;
}

/** Prints `15 s` or, from a minute on, `1:15`. */
function printSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
