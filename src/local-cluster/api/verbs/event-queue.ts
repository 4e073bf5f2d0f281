import type { StopSignal } from "../../../errors/stop-signal.ts";

/** Chunks that wait for a slow client. */
interface EventQueue {
  readonly push: (chunk: Uint8Array) => void;
  /** Ends the queue after its chunks are delivered. */
  readonly end: () => void;
  /** Calls `listener` once, when the client disconnected, is too far behind, or received everything. */
  readonly onClose: (listener: () => void) => void;
  /** Returns the chunks, for one reader. */
  readonly chunks: (signal: StopSignal | undefined) => AsyncIterable<Uint8Array>;
}

/** Creates a queue that drops its reader when more than `limit` chunks wait. */
export function eventQueue(limit: number): EventQueue {
  let waiting: Uint8Array[] = [];
  let hasEnded = false;
  let isClosed = false;
  let wake = () => {};
  const listeners: (() => void)[] = [];

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    waiting = [];
    for (const listener of listeners) listener();
    wake();
  }

  async function* read(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
    signal?.addEventListener("abort", close, { once: true });
    if (signal?.aborted === true) close();
    try {
      while (!isClosed) {
        const chunks = waiting;
        waiting = [];
        yield* chunks;
        if (waiting.length > 0) continue;
        if (hasEnded || isClosed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener("abort", close);
      close();
    }
  }

  return {
    push(chunk) {
      if (hasEnded || isClosed) return;
      waiting.push(chunk);
      if (waiting.length > limit) close();
      else wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    onClose(listener) {
      if (isClosed) listener();
      else listeners.push(listener);
    },
    chunks: read,
  };
}
