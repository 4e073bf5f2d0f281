import type { Host } from "./host.ts";

/** Log level of a line, as in Spark. */
export type LogLevel = "INFO" | "WARN" | "ERROR";

/** Logs one line; `logger` is the class name that Apache's client shows, e.g. `LoggingPodStatusWatcherImpl`. */
export type Log = (level: LogLevel, logger: string, text: string) => void;

const ranks: Readonly<Record<LogLevel, number>> = { INFO: 0, WARN: 1, ERROR: 2 };

/**
 * Creates a log on stderr in the layout of Spark's default profile: `yy/MM/dd HH:mm:ss LEVEL Logger: text`, local time.
 *
 * Source: Spark log4j2-defaults.properties.
 */
export function sparkLog(host: Host, minLevel: LogLevel = "INFO"): Log {
  return (level, logger, text) => {
    if (ranks[level] < ranks[minLevel]) return;
    host.stderr.write(`${timestamp(new Date(host.clock.now()))} ${level} ${logger}: ${text}\n`);
  };
}

function timestamp(date: Date): string {
  const two = (number: number) => String(number % 100).padStart(2, "0");
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join("/");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}`;
}
