import type { Host } from "../../host/host.ts";
import type { LogLevel } from "../../host/log.ts";

/** Writes one log entry. `fields` must not contain secrets. */
export type ServerLog = (level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Creates a log that writes JSON lines to stdout, with `time`, `level`, `text` and the fields. */
export function serverLog({ stdout, clock }: Pick<Host, "stdout" | "clock">): ServerLog {
  return (level, text, fields = {}) => {
    const time = new Date(clock.now()).toISOString();
    stdout.write(`${JSON.stringify({ time, level, text, ...fields })}\n`);
  };
}
