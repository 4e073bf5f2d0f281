import { Stop, type StopSignal } from "../errors/stop-signal.ts";
import type { Host } from "../host/host.ts";

/** Signals of the user, heard instead of ending the program at once. */
export interface Interruption {
  /** Aborts at the first of them. */
  readonly signal: StopSignal;
  /** Which one it was. */
  readonly received: () => "SIGINT" | "SIGTERM" | undefined;
  /** From then on they end the program again. */
  readonly stop: () => void;
}

/** Listens for the first SIGINT or SIGTERM; a second one ends the program. */
export function interruption(host: Pick<Host, "onSignal">): Interruption {
  const signal = new Stop();
  let received: "SIGINT" | "SIGTERM" | undefined;
  const hear = (name: "SIGINT" | "SIGTERM") =>
    host.onSignal(name, () => {
      received ??= name;
      stop();
      signal.abort();
    });
  const silences = [hear("SIGINT"), hear("SIGTERM")];
  const stop = () => {
    for (const silence of silences) silence();
  };
  return { signal, received: () => received, stop };
}
