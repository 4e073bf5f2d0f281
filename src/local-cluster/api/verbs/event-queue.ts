import type { StopSignal } from "../../../errors/stop-signal.ts";
/** Chunks that are waiting for a client to take them. */
export interface EventQueue {
  readonly push: (chunk: Uint8Array) => void;
  /** What is waiting is still delivered. */
  readonly end: () => void;
  /** Called once, when the client has gone, is too far behind, or has all. */
  readonly onClose: (listener: () => void) => void;
  /** To be read by one reader. */
  readonly chunks: (signal: StopSignal | undefined) => AsyncIterable<Uint8Array>;
}

/** A queue whose reader is dropped when more than `limit` chunks are waiting. */
export function eventQueue(limit: number): EventQueue {
  let waiting: Uint8Array[] = [];
  let isOver = false;
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
        if (isOver || isClosed) return;
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
      if (isOver || isClosed) return;
      waiting.push(chunk);
      if (waiting.length > limit) close();
      else wake();
    },
    end() {
      isOver = true;
      wake();
    },
    onClose(listener) {
      if (isClosed) listener();
      else listeners.push(listener);
    },
    chunks: read,
  };
}
