/** Body of a response: the connection pushes bytes, and the caller iterates over `chunks`. */
export interface ResponseBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly push: (bytes: Uint8Array) => void;
  readonly end: () => void;
  /** Makes the current or the next read throw. */
  readonly fail: (error: Error) => void;
}

/** Flow control of the connection that a body comes from. */
interface Flow {
  readonly pause: () => void;
  readonly resume: () => void;
  /** Discards the rest of the body. */
  readonly cancel: () => void;
}

/** Unread bytes above which the connection pauses. */
const highWaterMark = 262_144;

interface Reader {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: Error) => void;
}

/** Creates an empty body. */
export function responseBody(flow: Flow): ResponseBody {
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isPaused = false;
  let end: "none" | "reached" | Error = "none";
  let reader: Reader | undefined;

  const settle = (reached: "reached" | Error) => {
    if (end !== "none") return;
    end = reached;
    if (reached === "reached") reader?.resolve({ done: true, value: undefined });
    else reader?.reject(reached);
    reader = undefined;
  };
  const take = (bytes: Uint8Array) => {
    waitingBytes -= bytes.length;
    if (isPaused && waitingBytes < highWaterMark / 2) {
      isPaused = false;
      flow.resume();
    }
    return { done: false, value: bytes } as const;
  };
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next() {
      const bytes = waiting.shift();
      if (bytes !== undefined) return Promise.resolve(take(bytes));
      if (end === "reached") return Promise.resolve({ done: true, value: undefined });
      if (end !== "none") return Promise.reject(end);
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
      });
    },
    return() {
      waiting.length = 0;
      if (end === "none") flow.cancel();
      settle("reached");
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return {
    chunks: { [Symbol.asyncIterator]: () => iterator },
    push(bytes) {
      if (end !== "none") return;
      if (reader !== undefined) {
        reader.resolve({ done: false, value: bytes });
        reader = undefined;
        return;
      }
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (isPaused || waitingBytes <= highWaterMark) return;
      isPaused = true;
      flow.pause();
    },
    end: () => settle("reached"),
    fail: settle,
  };
}
