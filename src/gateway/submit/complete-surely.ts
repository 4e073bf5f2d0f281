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
  /** Returns whether the driver is no longer needed: its application was killed or has ended. */
  readonly isDone: () => boolean;
  /** Called before a driver's pod is requested. */
  readonly onDriverRequest: () => void;
  /** Called with an error that no later attempt can avoid. */
  readonly onRejected: (error: unknown) => void;
  /** Called with the UID of a driver's pod before its deletion. */
  readonly onRollBack: (uid: string) => void;
}

/**
 * Returns a client for submissions that are not rolled back once their driver exists, except for an error that no later attempt can avoid: the
 * objects that the driver owns are applied until the API accepts or rejects them. If the gateway stops before, the next process applies them.
 * If the driver is no longer needed before, whatever ended it deletes it.
 */
export function completeSurely(client: KubeClient, call: CompletionCall): KubeClient {
  const { host, key, log, ending } = call;
  let isLeft = false;
  return {
    ...client,
    async create(creation) {
      if (creation.type === resourceTypes.pod) call.onDriverRequest();
      return client.create(creation);
    },
    async apply(application) {
      const { wait } = backoff(host.clock, host.random);
      for (;;) {
        try {
          return await client.apply(application);
        } catch (error) {
          if (!isSubmitError(error) || !isTransient(error)) {
            call.onRejected(error);
            throw error;
          }
          isLeft ||= ending.aborted || call.isDone();
          if (isLeft) throw error;
          const { kind, metadata } = application.object;
          const fields = { key, kind, name: metadata.name, reason: messageOf(error) };
          log("WARN", "An object of a driver cannot be created, and is created again.", fields);
          await wait(ending);
        }
      }
    },
    async delete(deletion) {
      if (isLeft) throw new Error("The submission is not rolled back.");
      if (deletion.type === resourceTypes.pod && deletion.uid !== undefined) call.onRollBack(deletion.uid);
      return client.delete(deletion);
    },
  };
}
