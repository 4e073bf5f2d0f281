import type { StopSignal } from "../../../errors/stop-signal.ts";

/** Events that wait for a slow client. */
interface EventQueue<T> {
  readonly push: (event: T) => void;
  /** Ends the queue after its events are delivered. */
  readonly end: () => void;
  /** Calls `listener` once, when the client disconnected, is too far behind, or received everything. */
  readonly onClose: (listener: () => void) => void;
  /** Calls `listener` when the client is too far behind: its connection must be closed, because it may never read again. */
  readonly onDrop: (listener: () => void) => void;
  /** Returns the printed events, for one reader: `first`, then those of the queue. */
  readonly chunks: (signal: StopSignal | undefined, first?: Iterable<T>) => AsyncIterable<Uint8Array>;
}

interface QueueOptions<T> {
  /** Maximum number of waiting events. */
  readonly limit: number;
  /** Prints an event. Called once for each event, in their order. */
  readonly print: (event: T) => Uint8Array;
}

/**
 * Maximum size of the waiting events that are printed. Clients that keep up share the text of an event; a slow client must not
 * need memory for its own texts.
 */
const maxPrintedBytes = 256 * 1024;

/** Creates a queue that drops its reader when too many events wait. */
export function eventQueue<T>({ limit, print }: QueueOptions<T>): EventQueue<T> {
  let printed: Uint8Array[] = [];
  let printedBytes = 0;
  /** Events behind the printed ones. */
  let waiting: T[] = [];
  /** Whether nothing precedes a new event that is not printed yet. */
  let canPrint = false;
  let hasEnded = false;
  let isClosed = false;
  let wake = () => {};
  const listeners: (() => void)[] = [];
  let drop = () => {};

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    [printed, waiting] = [[], []];
    for (const listener of listeners) listener();
    wake();
  }

  async function* read(signal: StopSignal | undefined, first: Iterable<T>): AsyncGenerator<Uint8Array> {
    signal?.addEventListener("abort", close, { once: true });
    if (signal?.aborted === true) close();
    try {
      for (const chunk of printEach(first)) yield chunk;
      canPrint = true;
      while (!isClosed) {
        const chunks = printed;
        const events = waiting;
        [printed, printedBytes, waiting] = [[], 0, []];
        canPrint = events.length === 0;
        for (const chunk of chunks) if (!isClosed) yield chunk;
        for (const chunk of printEach(events)) yield chunk;
        canPrint = true;
        if (printed.length > 0 || waiting.length > 0) continue;
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

  function* printEach(events: Iterable<T>): Generator<Uint8Array> {
    for (const event of events) {
      if (isClosed) return;
      yield print(event);
    }
  }

  return {
    push(event) {
      if (hasEnded || isClosed) return;
      if (canPrint && waiting.length === 0 && printedBytes < maxPrintedBytes) {
        const chunk = print(event);
        printed.push(chunk);
        printedBytes += chunk.length;
      } else waiting.push(event);
      if (printed.length + waiting.length > limit) {
        close();
        drop();
      } else wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    onClose(listener) {
      if (isClosed) listener();
      else listeners.push(listener);
    },
    onDrop(listener) {
      drop = listener;
    },
    chunks: (signal, first = []) => read(signal, first),
  };
}
