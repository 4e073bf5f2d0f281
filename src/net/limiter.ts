import { semaphore } from "../host/semaphore.ts";

/** Creates a function that runs actions, at most `maxConcurrent` at a time, in call order. */
export function limiter(maxConcurrent: number): <T>(action: () => Promise<T>) => Promise<T> {
  const permits = semaphore(maxConcurrent);
  return async (action) => {
    await permits.acquire();
    try {
      return await action();
    } finally {
      permits.release();
    }
  };
}
