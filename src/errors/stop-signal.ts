/** A request to stop, as an `AbortSignal` or a `Stop`. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly addEventListener: (event: "abort", listener: () => void, options?: { once?: boolean }) => void;
  readonly removeEventListener: (event: "abort", listener: () => void) => void;
}

/** A signal that its owner aborts. Cheaper than `AbortController`, which costs a submission 2.5% of Node's startup time. */
export class Stop implements StopSignal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_event: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_event: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Calls each listener once. Later calls do nothing. */
  abort(): void {
    this.aborted = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

const abortSignals = new WeakMap<StopSignal, AbortSignal>();

/** Returns the signal as Node's `AbortSignal`: the same object for each call, so that callers can pass it repeatedly. */
export function abortSignalOf(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const existing = abortSignals.get(signal);
  if (existing !== undefined) return existing;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort());
  abortSignals.set(signal, controller.signal);
  return controller.signal;
}
