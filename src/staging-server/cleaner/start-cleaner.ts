import { messageOf } from "../../errors/submit-error.ts";
import type { ServerScope } from "../scope.ts";
import { cleanOnce } from "./clean.ts";

/** Cleans time and again; a round that fails is followed by the next one. @returns how to stop, after the running round */
export function startCleaner(scope: ServerScope): () => Promise<void> {
  const { clock, random } = scope.host;
  const ending = new AbortController();
  const running = (async () => {
    while (!ending.signal.aborted) {
      // Servers that were started together shall not ask together.
      const pauseMs = scope.options.times.cleanEveryMs * (0.9 + random.fraction() / 5);
      await clock.sleep(pauseMs, { signal: ending.signal, background: true });
      if (ending.signal.aborted) return;
      if (!scope.leader.isUs()) continue;
      await cleanOnce(scope).catch((error: unknown) => {
        scope.log("ERROR", "A round of the cleaner has failed.", { reason: messageOf(error) });
      });
    }
  })();
  return () => {
    ending.abort();
    return running;
  };
}
