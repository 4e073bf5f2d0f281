import type { Clock } from "../../../host/host.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";
import type { WatchCall } from "../../../kube-client/call.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** What is watched, and until when at most. */
export interface WatchWithIdleTimeoutCall extends Omit<WatchCall, "timeoutSeconds"> {
  readonly signal: AbortSignal;
}

const watchSeconds = 300;
// A server sends a bookmark each minute; whoever is silent for longer may be dead.
const silenceMs = 90_000;

/**
 * The events of one watch request, until the server ends it, or until it has been silent for so long that the way to it may
 * be dead. Whoever watches looks at the objects then, and begins anew.
 */
export async function* watchWithIdleTimeout<T>(
  client: KubeClient,
  clock: Clock,
  call: WatchWithIdleTimeoutCall,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const silent = new AbortController();
  const listen = () => clock.after(silenceMs, () => silent.abort());
  let cancel = listen();
  try {
    const events = client.watch<T>({
      ...call,
      timeoutSeconds: watchSeconds,
      signal: AbortSignal.any([call.signal, silent.signal]),
    });
    for await (const event of events) {
      cancel();
      cancel = listen();
      yield event;
    }
  } catch (error) {
    if (!silent.signal.aborted || call.signal.aborted) throw error;
  } finally {
    cancel();
  }
}
