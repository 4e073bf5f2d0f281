import { submitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { lines } from "../../../kube-client/lines.ts";
import type { LogPosition } from "./log-position.ts";

/** One request for a container's log, from where the last one broke off. */
export interface FetchLogCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly position: LogPosition;
  /** Gets what is new, without timestamps. */
  readonly write: (text: string) => void;
  /** Nothing comes after this log: a last line without its end is a line. */
  readonly isLast: boolean;
  /** Aborts when the container should have no more to say: from then on a pause is a fault. */
  readonly ended: AbortSignal;
  readonly signal: AbortSignal;
}

/** How long a log may pause when its container says no more. */
const silenceMs = 10_000;

/**
 * Writes what is new of a log until the API ends its answer.
 *
 * @throws SubmitError when it cannot be read, breaks off, or pauses after its container's end
 */
export async function fetchLog(call: FetchLogCall): Promise<void> {
  const { client, clock, namespace, pod, container, position, ended, write, isLast } = call;
  const silent = new AbortController();
  const sinceTime = position.restart();
  const chunks = client.logs({
    ...{ namespace, pod, container, follow: true, timestamps: true },
    ...(sinceTime === undefined ? {} : { sinceTime }),
    signal: AbortSignal.any([call.signal, silent.signal]),
  });
  const stop = () => silent.abort();
  try {
    for await (const line of lines(withIdleTimeout(chunks, { clock, ended, stop }))) {
      // A piece of a line comes again as a whole, unless nothing comes after it.
      if (!line.ended && !isLast) return;
      const fresh = position.accept(line.text);
      if (fresh !== undefined) write(line.ended ? `${fresh}\n` : fresh);
    }
  } catch (error) {
    if (!silent.signal.aborted) throw error;
    const reason = `nothing more of the log came for ${silenceMs / 1000} s`;
    throw submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server: client.server, reason });
  }
}

/** The same chunks; calls `stop` when they pause for too long after the end. */
async function* withIdleTimeout(
  chunks: AsyncIterable<Uint8Array>,
  { clock, ended, stop }: { clock: Clock; ended: AbortSignal; stop: () => void },
): AsyncGenerator<Uint8Array> {
  let cancel = () => {};
  const listen = () => {
    cancel();
    if (ended.aborted) cancel = clock.after(silenceMs, stop);
  };
  ended.addEventListener("abort", listen);
  try {
    listen();
    for await (const chunk of chunks) {
      listen();
      yield chunk;
    }
  } finally {
    ended.removeEventListener("abort", listen);
    cancel();
  }
}
