import type { Clock, Host } from "../host/host.ts";
import type { LogLevel } from "../host/log.ts";

/** Writes one log entry. `fields` must not contain secrets. */
export type ServerLog = (level: LogLevel, text: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Creates a log that writes JSON lines to stdout, with `time`, `level`, `text` and the fields. */
export function serverLog({ stdout, clock }: Pick<Host, "stdout" | "clock">): ServerLog {
  return (level, text, fields = {}) => {
    const time = new Date(clock.now()).toISOString();
    stdout.write(`${JSON.stringify({ time, level, text, ...fields })}\n`);
  };
}

const limitIntervalMs = 60_000;

/** Limits a log to one entry a minute for each text. The next entry has the number of entries left out as `omitted`. */
export function limitLog(log: ServerLog, clock: Pick<Clock, "monotonic">): ServerLog {
  const last = new Map<string, { readonly atMs: number; omitted: number }>();
  return (level, text, fields = {}) => {
    const atMs = clock.monotonic();
    const earlier = last.get(text);
    if (earlier !== undefined && atMs < earlier.atMs + limitIntervalMs) {
      earlier.omitted += 1;
      return;
    }
    last.set(text, { atMs, omitted: 0 });
    const omitted = earlier?.omitted ?? 0;
    log(level, text, { ...fields, ...(omitted === 0 ? {} : { omitted }) });
  };
}
