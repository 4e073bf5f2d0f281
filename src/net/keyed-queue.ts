/** Runs actions with the same key one after another, and those of different keys at the same time. */
export interface KeyedQueue {
  /** Runs an action after the earlier ones with its key, even if they failed. */
  readonly run: <T>(key: string, action: () => Promise<T>) => Promise<T>;
  /** Resolves when all actions so far have ended. */
  readonly idle: () => Promise<void>;
}

/** Creates a queue without actions. It keeps nothing of a key whose actions have ended. */
export function keyedQueue(): KeyedQueue {
  const latest = new Map<string, Promise<void>>();
  return {
    run(key, action) {
      const result = (latest.get(key) ?? Promise.resolve()).then(action);
      const ended = result
        .catch(() => {})
        .then(() => {
          if (latest.get(key) === ended) latest.delete(key);
        });
      latest.set(key, ended);
      return result;
    },
    async idle() {
      await Promise.all(latest.values());
    },
  };
}
