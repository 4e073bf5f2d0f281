import { messageOf } from "../../errors/submit-error.ts";
import type { ServerScope } from "../context/scope.ts";
import { cleanOnce } from "./clean.ts";

/** Runs the cleanup periodically while this server is the leader. Returns a function that stops it after the current run. */
export function startCleaner(scope: ServerScope): () => Promise<void> {
  const { clock, random } = scope.host;
  const ending = new AbortController();
  const running = (async () => {
    while (!ending.signal.aborted) {
      // Add jitter, so that servers that started together do not query the cluster together.
      const delayMs = scope.options.times.cleanEveryMs * (0.9 + random.fraction() / 5);
      await clock.sleep(delayMs, { signal: ending.signal, background: true });
      if (ending.signal.aborted) return;
      if (!scope.leader.isLeader()) {
        // Only the server that cleans reports what its run found.
        scope.health.unknownOwners = new Map();
        continue;
      }
      await cleanOnce(scope).catch((error: unknown) => {
        scope.log("ERROR", "The cleanup failed.", { reason: messageOf(error) });
      });
    }
  })();
  return () => {
    ending.abort();
    return running;
  };
}
