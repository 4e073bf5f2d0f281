import type { Host } from "../host/host.ts";
import type { LogLevel } from "../host/log.ts";

/** Tells whoever operates the server one thing; secrets have no place in `fields`. */
export type ServerLog = (level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A log on stdout: each line is an object in JSON, with `time`, `level`, `text` and what it is about. */
export function serverLog({ stdout, clock }: Pick<Host, "stdout" | "clock">): ServerLog {
  return (level, text, fields = {}) => {
    const time = new Date(clock.now()).toISOString();
    stdout.write(`${JSON.stringify({ time, level, text, ...fields })}\n`);
  };
}
