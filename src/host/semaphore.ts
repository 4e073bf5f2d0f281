/** Limits the number of concurrent holders; the others wait in first-come order. */
interface Semaphore {
  readonly acquire: () => Promise<void>;
  readonly release: () => void;
  /** Whether a caller is waiting. */
  readonly hasWaiters: () => boolean;
}

/** Creates a semaphore with all permits free. */
export function semaphore(permits: number): Semaphore {
  let free = permits;
  const waiting: (() => void)[] = [];
  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
    hasWaiters: () => waiting.length > 0,
  };
}
