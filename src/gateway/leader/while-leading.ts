import type { StopSignal } from "../../errors/stop-signal.ts";
import { submitError } from "../../errors/submit-error.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/**
 * Returns a client that changes nothing once another process can lead. A change during which the leadership ended counts as failed,
 * because the next leader may not see it. Methods that change something throw SubmitError `SUBMIT_ERR_GATEWAY_NOT_LEADING`.
 */
export function whileLeading(client: KubeClient, isLeading: () => boolean): KubeClient {
  const requireLeadership = () => {
    if (!isLeading()) throw submitError("SUBMIT_ERR_GATEWAY_NOT_LEADING", {});
  };
  return client.withTransport((transport) => async (request) => {
    if (request.method === "GET") return transport(request);
    requireLeadership();
    try {
      return await transport({ ...request, signal: leadingSignal(request.signal, isLeading) });
    } finally {
      requireLeadership();
    }
  });
}

/** Returns a signal for requests that wait for a connection: a process that was suspended meanwhile must not send them. */
function leadingSignal(signal: StopSignal | undefined, isLeading: () => boolean): StopSignal {
  return {
    get aborted() {
      return signal?.aborted === true || !isLeading();
    },
    addEventListener: (...listener) => signal?.addEventListener(...listener),
    removeEventListener: (...listener) => signal?.removeEventListener(...listener),
  };
}
