import type { Clock } from "../host/host.ts";

const firstMs = 15_000;
const maxMs = 600_000;

/**
 * Repeats a check for requests that an earlier process has sent, and that reach the API late, until a signal aborts. The delays (15 s) double up
 * to 10 minutes: most requests arrive soon, but a suspended machine can send later.
 */
export async function repeatForLateRequests(
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
  check: () => Promise<void>,
): Promise<void> {
  for (let delayMs = firstMs; ; delayMs = Math.min(delayMs * 2, maxMs)) {
    await clock.sleep(delayMs, { signal, background: true });
    if (signal.aborted) return;
    await check();
  }
}
