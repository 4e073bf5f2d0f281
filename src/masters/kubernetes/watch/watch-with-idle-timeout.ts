import type { Clock } from "../../../host/host.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";
import type { WatchCall } from "../../../kube-client/call.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

const timeoutSeconds = 300;
// API servers send a bookmark each minute: a longer gap means that the connection may be dead.
const idleTimeoutMs = 90_000;

/** Yields the events of one watch request until the server ends it, or until no event has arrived for 90 s. */
export async function* watchWithIdleTimeout<T>(
  client: KubeClient,
  clock: Clock,
  call: Omit<WatchCall, "timeoutSeconds"> & { readonly signal: AbortSignal },
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const idle = new AbortController();
  const startTimeout = () => clock.after(idleTimeoutMs, () => idle.abort());
  let cancelTimeout = startTimeout();
  try {
    const signal = AbortSignal.any([call.signal, idle.signal]);
    for await (const event of client.watch<T>({ ...call, timeoutSeconds, signal })) {
      cancelTimeout();
      cancelTimeout = startTimeout();
      yield event;
    }
  } catch (error) {
    if (!idle.signal.aborted || call.signal.aborted) throw error;
  } finally {
    cancelTimeout();
  }
}
