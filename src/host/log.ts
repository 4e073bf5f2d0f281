import type { Host } from "./host.ts";
import { indentedLines } from "./visible-text.ts";

/**
 * Log level of a line, as in Spark.
 *
 * @example
 * ```ts
 * const level: LogLevel = "WARN";
 * ```
 */
export type LogLevel = "INFO" | "WARN" | "ERROR";

/**
 * Logs one line; `logger` is the class name that Apache's client shows, e.g. `LoggingPodStatusWatcherImpl`.
 *
 * @example
 * ```ts
 * const log: Log = (level, logger, text) => console.error(level, logger, text);
 * ```
 */
export interface Log {
  (level: LogLevel, logger: string, text: string): void;
  /** Logs one text of several lines. @default the joined lines */
  readonly lines?: LogLines;
}

type LogLines = (level: LogLevel, logger: string, lines: readonly string[]) => void;

const ranks: Readonly<Record<LogLevel, number>> = { INFO: 0, WARN: 1, ERROR: 2 };

/**
 * Creates a log on stderr in the layout of Spark's default profile: `yy/MM/dd HH:mm:ss LEVEL Logger: text`, local time. A line end within
 * a line is one of a quoted text, whose lines are indented.
 *
 * Source: Spark log4j2-defaults.properties.
 */
export function sparkLog(host: Host, minLevel: LogLevel = "INFO"): Log {
  return logOfLines((level, logger, lines) => {
    if (ranks[level] < ranks[minLevel]) return;
    const text = lines.map(indentedLines).join("\n");
    host.stderr.write(`${timestamp(new Date(host.clock.now()))} ${level} ${logger}: ${text}\n`);
  });
}

/** Creates a log that receives lines. */
export function logOfLines(write: LogLines): Log {
  return Object.assign((level: LogLevel, logger: string, text: string) => write(level, logger, [text]), {
    lines: write,
  });
}

/** Logs one text of several lines. */
export function logLines(log: Log, level: LogLevel, logger: string, lines: readonly string[]): void {
  if (log.lines === undefined) log(level, logger, lines.join("\n"));
  else log.lines(level, logger, lines);
}

function timestamp(date: Date): string {
  const two = (number: number) => String(number % 100).padStart(2, "0");
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join("/");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}`;
}
