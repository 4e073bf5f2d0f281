/** How a stream is made to go wrong. */
export type StreamFault = "drop" | "half-open";

/** An answer without end, which can be struck at any time. */
export interface StruckStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly inject: (fault: StreamFault) => void;
}

/** The end of a connection that nobody closed, as Node tells it. */
export function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}

/** Rejects when a request is given up; without a signal, never. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Hands a stream on until it is struck. @param stop ends what feeds it @param onEnd called once, when nobody reads any more */
export function interruptibleStream(
  body: AsyncIterable<Uint8Array>,
  { signal, stop, onEnd }: { signal: AbortSignal | undefined; stop: () => void; onEnd: () => void },
): StruckStream {
  let fault: StreamFault | undefined;
  let wake = () => {};
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const struck = new Promise<undefined>((resolve) => {
          wake = () => resolve(undefined);
        });
        const next = fault === undefined ? await Promise.race([iterator.next(), struck]) : undefined;
        if (next === undefined || fault !== undefined) break;
        if (next.done === true) return;
        yield next.value;
      }
      stop();
      if (fault === "drop") throw connectionReset();
      // The client alone ends it now.
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
