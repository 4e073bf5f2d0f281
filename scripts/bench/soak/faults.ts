import { setTimeout } from "node:timers/promises";
import type { EmbeddedApi } from "../bench-api.ts";

/** Faults of the API, which only the gateway notices: the benchmark itself must see what is there. */
export interface Faults {
  /** Waits while the API is away for the gateway. */
  readonly outage: (minutes: number) => Promise<void>;
  /** Ends all faults. */
  readonly stop: () => Promise<void>;
}

const intervalMs = 20_000;
const ofGateway = ["--user-agent", "firesteel*"];

const faults: readonly (readonly string[])[] = [
  ["429", "--probability", "0.3", "--retry-after", "1", "--for", "5s"],
  ["410", "--verb", "watch", "--times", "4", "--for", "10s"],
  ["drop", "--opened", "--delay", "100ms", "--for", "5s"],
  ["500", "--probability", "0.3", "--for", "5s"],
  ["500", "--done", "--verb", "create", "--probability", "0.3", "--for", "5s"],
  ["silence", "--probability", "0.2", "--for", "5s"],
  // As an API that restarts: a stopped cluster could come back at another address, if another one takes its own meanwhile.
  ["drop", "--opened", "--for", "10s"],
];

/** Injects another fault every 20 s. @param problems gets the failures of the benchmark itself */
export function startFaults({ control }: Pick<EmbeddedApi, "control">, problems: string[]): Faults {
  const ending = new AbortController();
  let isOut = false;
  const chaos = async (...args: readonly string[]) => {
    try {
      await control("chaos", ...args);
    } catch (error) {
      problems.push(`A fault cannot be changed: ${String(error)}`);
    }
  };
  const repeat = async () => {
    for (let index = 0; !ending.signal.aborted; index += 1) {
      await setTimeout(intervalMs, undefined, { signal: ending.signal }).catch(() => {});
      if (!isOut && !ending.signal.aborted) await chaos("add", ...(faults[index % faults.length] ?? []), ...ofGateway);
    }
  };
  const running = repeat();
  return {
    async outage(minutes) {
      isOut = true;
      await chaos("add", "drop", "--opened", "--for", `${minutes * 60}s`, ...ofGateway);
      await setTimeout(minutes * 60_000);
      isOut = false;
    },
    async stop() {
      ending.abort();
      await running;
      await chaos("clear");
    },
  };
}
