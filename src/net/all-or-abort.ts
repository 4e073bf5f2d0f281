import { setMaxListeners } from "node:events";

/**
 * Runs all at once; the first failure stops the others, which are waited for.
 *
 * @param signal stops all of them
 */
export async function allOrAbort<T>(
  signal: AbortSignal | undefined,
  actions: readonly ((signal: AbortSignal) => Promise<T>)[],
): Promise<readonly T[]> {
  const failure = new AbortController();
  const inner = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]);
  // Every request listens. Node takes more than ten for a mistake, and says so on stderr.
  setMaxListeners(0, inner);
  const guarded = actions.map(async (action) => {
    try {
      inner.throwIfAborted();
      return [await action(inner)];
    } catch (error) {
      failure.abort(error);
      return [];
    }
  });
  const results = (await Promise.all(guarded)).flat();
  inner.throwIfAborted();
  return results;
}

/** Limits the number of concurrent actions; starts them in call order. */
export function limiter(most: number): <T>(action: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (action) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await action();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
