type StreamFault = "drop" | "half-open";

/** A response body that can be interrupted at any time. */
export interface InterruptibleStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly inject: (fault: StreamFault) => void;
}

/** Builds Node's error for a reset connection. */
export function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}

/** Rejects when a request is aborted; without a signal, never. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Forwards a stream until it is interrupted. @param stop ends the source @param onEnd called once when the stream is no longer
 * read
 */
export function interruptibleStream(
  body: AsyncIterable<Uint8Array>,
  { signal, stop, onEnd }: { signal: AbortSignal | undefined; stop: () => void; onEnd: () => void },
): InterruptibleStream {
  let fault: StreamFault | undefined;
  let wake = () => {};
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const interrupted = new Promise<undefined>((resolve) => {
          wake = () => resolve(undefined);
        });
        const next = fault === undefined ? await Promise.race([iterator.next(), interrupted]) : undefined;
        if (next === undefined || fault !== undefined) break;
        if (next.done === true) return;
        yield next.value;
      }
      stop();
      if (fault === "drop") throw connectionReset();
      // Only the client can end the connection now.
      await untilAborted(signal).catch(() => {});
    } finally {
      stop();
      onEnd();
    }
  }
  return {
    body: chunks(),
    inject(kind) {
      fault ??= kind;
      wake();
    },
  };
}
