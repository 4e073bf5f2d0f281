import { setMaxListeners } from "node:events";

/**
 * Runs actions concurrently. The first failure aborts the others; the function rejects after all have ended.
 *
 * @param signal aborts all actions
 * @throws the first failure; the reason of `signal`
 */
export async function allOrAbort<T>(
  signal: AbortSignal | undefined,
  actions: readonly ((signal: AbortSignal) => Promise<T>)[],
): Promise<readonly T[]> {
  const failure = new AbortController();
  const inner = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]);
  // Every request adds a listener. Node prints a warning for more than ten.
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
