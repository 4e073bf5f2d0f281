import { submitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import type { LogCall } from "../../../kube-client/call.ts";
import { lines, type StreamLine } from "../../../kube-client/lines.ts";
import type { WatchedPod } from "./latest-pod.ts";
import type { LogPosition } from "./log-position.ts";

/** One request for a container's log, from the position where the last one ended. */
interface FetchLogCall extends Omit<WatchedPod, "random" | "log"> {
  readonly position: LogPosition;
  /** Part of the log that is read as long as no line has been read. @default all */
  readonly range?: Pick<LogCall, "sinceTime" | "tailLines">;
  /**
   * Receives the bytes of each new line, without timestamp; of a longer line than 1 MiB, its parts. Reading continues when a returned
   * promise resolves.
   */
  readonly write: (line: Uint8Array) => Promise<void> | undefined;
  /** Whether the container has ended. If so, an unfinished last line is complete. */
  readonly isLast: boolean;
  /** Aborts when the container should have ended. From then on, the idle timeout applies. */
  readonly ended: AbortSignal;
}

const idleTimeoutMs = 10_000;
const maxLineBytes = 1024 * 1024;
const newline = Buffer.from("\n");

/**
 * Writes the new lines of a log until the API ends its response.
 *
 * @throws SubmitError if the log cannot be read, the connection breaks, or no data arrives for 10 s after the container's end
 */
export async function fetchLog(call: FetchLogCall): Promise<void> {
  const { client, clock, latest, container, position, ended, write, isLast } = call;
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  const idle = new AbortController();
  const sinceTime = position.restart();
  const chunks = client.logs({
    ...{ namespace, pod: name, container, follow: true, timestamps: true },
    ...(sinceTime === undefined ? call.range : { sinceTime }),
    signal: AbortSignal.any([call.signal, idle.signal]),
  });
  const stop = () => idle.abort();
  try {
    let previous: StreamLine["end"] = "newline";
    for await (const { bytes, end } of lines(withIdleTimeout(chunks, { clock, ended, stop }), maxLineBytes)) {
      // The next request sends an unfinished line completely.
      if (end === "stream" && !isLast) return;
      const rest = previous === "limit" ? position.acceptPart(bytes) : position.accept(bytes);
      previous = end;
      if (rest === undefined) continue;
      const full = write(end === "newline" ? Buffer.concat([rest, newline]) : rest);
      if (full !== undefined) await full;
    }
  } catch (error) {
    if (!idle.signal.aborted) throw error;
    const reason = `no more log data arrived for ${idleTimeoutMs / 1000} s`;
    throw submitError("SUBMIT_ERR_KUBE_UNREACHABLE", { server: client.server, reason });
  }
}

/** Yields the same chunks. Calls `stop` if none arrives for 10 s after the container's end. */
async function* withIdleTimeout(
  chunks: AsyncIterable<Uint8Array>,
  { clock, ended, stop }: { clock: Clock; ended: AbortSignal; stop: () => void },
): AsyncGenerator<Uint8Array> {
  let cancelTimeout = () => {};
  const restartTimeout = () => {
    cancelTimeout();
    if (ended.aborted) cancelTimeout = clock.after(idleTimeoutMs, stop);
  };
  ended.addEventListener("abort", restartTimeout);
  try {
    restartTimeout();
    for await (const chunk of chunks) {
      // A slow reader of the lines is not a lost connection.
      cancelTimeout();
      yield chunk;
      restartTimeout();
    }
  } finally {
    ended.removeEventListener("abort", restartTimeout);
    cancelTimeout();
  }
}
