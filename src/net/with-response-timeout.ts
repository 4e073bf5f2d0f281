import type { Clock } from "../host/host.ts";

/**
 * Aborts a request after a time.
 *
 * @param send sends the request until the signal aborts
 * @throws Error `no response within 5 s` if it times out, otherwise the error of `send`
 */
export async function withResponseTimeout<T>(
  clock: Pick<Clock, "after">,
  timeoutMs: number,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  try {
    return await send(timeout.signal);
  } catch (error) {
    throw timeout.signal.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : error;
  } finally {
    cancel();
  }
}
