/** Limit of the memory of all requests: incomplete ones, and the block lists of open streams. */
export interface MemoryBudget {
  /** Adds bytes, or returns false if the limit would be exceeded. */
  readonly reserve: (bytes: number) => boolean;
  readonly free: (bytes: number) => void;
  readonly usedBytes: () => number;
}

/** Creates a budget that is free. */
export function memoryBudget(maxBytes: number): MemoryBudget {
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    free(bytes) {
      used -= bytes;
    },
    usedBytes: () => used,
  };
}
