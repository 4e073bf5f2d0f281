import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { isTransient } from "../../kube/is-transient.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { backoff } from "../../net/backoff.ts";

/** Dependencies of a client that completes submissions. */
export interface CompletionCall {
  readonly host: Pick<Host, "clock" | "random">;
  /** Key of the application. */
  readonly key: string;
  readonly log: ServerLog;
  /** Aborts when the gateway stops. */
  readonly ending: AbortSignal;
  /** Called with the UID of a driver's pod before its deletion. */
  readonly onRollBack: (uid: string) => void;
}

/**
 * Returns a client for submissions that are not rolled back once their driver exists, except for an error that no later attempt can avoid: the
 * objects that the driver owns are applied until the API accepts or rejects them. If the gateway stops before, the next process applies them.
 */
export function completeSurely(client: KubeClient, { host, key, log, ending, onRollBack }: CompletionCall): KubeClient {
  let isLeft = false;
  return {
    ...client,
    async apply(call) {
      const { wait } = backoff(host.clock, host.random);
      for (;;) {
        try {
          return await client.apply(call);
        } catch (error) {
          if (!isSubmitError(error) || !isTransient(error)) throw error;
          isLeft ||= ending.aborted;
          if (isLeft) throw error;
          const { kind, metadata } = call.object;
          const fields = { key, kind, name: metadata.name, reason: messageOf(error) };
          log("WARN", "An object of a driver cannot be created, and is created again.", fields);
          await wait(ending);
        }
      }
    },
    async delete(call) {
      if (isLeft) throw new Error("The next process completes the submission.");
      if (call.type === resourceTypes.pod && call.uid !== undefined) onRollBack(call.uid);
      return client.delete(call);
    },
  };
}
