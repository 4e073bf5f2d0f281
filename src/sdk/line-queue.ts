import type { LogSink } from "../masters/kubernetes/watch/follow-driver-log.ts";

/** Lines that one side writes and another reads. */
export interface LineQueue {
  /** Accepts lines. Its `ready` waits while the reader is behind. */
  readonly sink: LogSink;
  /** Ends the lines, with an error if there is one. */
  readonly end: (failure?: { readonly error: unknown }) => void;
  /** Lines without line ends, for one reader. */
  readonly lines: AsyncGenerator<string, void, undefined>;
}

/** Lines that are held until the reader takes them, before the writer waits. */
const maxHeld = 1000;

/** Creates a queue of lines in UTF-8. */
export function lineQueue(): LineQueue {
  const held: string[] = [];
  let ended: { readonly failure: { readonly error: unknown } | undefined } | undefined;
  let wakeReader = () => {};
  let wakeWriter = () => {};
  const isFull = () => held.length >= maxHeld && ended === undefined;
  return {
    sink: {
      isTerminal: false,
      columns: 80,
      write(text) {
        held.push(Buffer.from(text).toString("utf8").replace(/\n$/, ""));
        wakeReader();
      },
      ready: () =>
        isFull()
          ? new Promise((resolve) => {
              wakeWriter = resolve;
            })
          : undefined,
    },
    end(failure) {
      ended ??= { failure };
      wakeReader();
      wakeWriter();
    },
    lines: read(),
  };

  async function* read(): AsyncGenerator<string, void, undefined> {
    while (true) {
      const lines = held.splice(0);
      wakeWriter();
      yield* lines;
      if (lines.length > 0) continue;
      if (ended !== undefined) break;
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    if (ended.failure !== undefined) throw ended.failure.error;
  }
}
