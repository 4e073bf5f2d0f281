/** Limits the number of concurrent holders; the others wait in first-come order. */
export interface Semaphore {
  readonly take: () => Promise<void>;
  readonly leave: () => void;
  /** Whether a caller is waiting. */
  readonly isWanted: () => boolean;
}

/** Creates a semaphore with all permits free. */
export function semaphore(atOnce: number): Semaphore {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
    isWanted: () => waiting.length > 0,
  };
}
