import { Stop, type StopSignal } from "../errors/stop-signal.ts";
import type { Host } from "../host/host.ts";

/** Handling of SIGINT and SIGTERM that replaces the end of the program. */
export interface Interruption {
  /** Aborts at the first signal. */
  readonly signal: StopSignal;
  /** Returns the first signal. */
  readonly received: () => "SIGINT" | "SIGTERM" | undefined;
  /** Restores the default: a signal ends the program. */
  readonly stop: () => void;
}

/** Listens for the first SIGINT or SIGTERM; a second one ends the program. */
export function interruption(host: Pick<Host, "onSignal">): Interruption {
  const signal = new Stop();
  let received: "SIGINT" | "SIGTERM" | undefined;
  const listen = (name: "SIGINT" | "SIGTERM") =>
    host.onSignal(name, () => {
      received ??= name;
      stop();
      signal.abort();
    });
  const removals = [listen("SIGINT"), listen("SIGTERM")];
  const stop = () => {
    for (const remove of removals) remove();
  };
  return { signal, received: () => received, stop };
}
