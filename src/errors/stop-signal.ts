/** What ends work from outside: an `AbortSignal`, or a `Stop`. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly addEventListener: (event: "abort", listener: () => void, options?: { once?: boolean }) => void;
  readonly removeEventListener: (event: "abort", listener: () => void) => void;
}

/** A signal that whoever has it gives: an `AbortController` would cost a submission a fortieth of Node's own start. */
export class Stop implements StopSignal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_event: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_event: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Tells all who listen, once. */
  abort(): void {
    this.aborted = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

const counterparts = new WeakMap<StopSignal, AbortSignal>();

/** The same signal, for what only takes Node's own; always the same one, for some ask again and again. */
export function abortSignalOf(signal: StopSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const known = counterparts.get(signal);
  if (known !== undefined) return known;
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener("abort", () => controller.abort());
  counterparts.set(signal, controller.signal);
  return controller.signal;
}
