import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { KeyedQueue } from "../../net/keyed-queue.ts";
import type { DriverLogs } from "../logs/driver-logs.ts";
import type { ApplicationRecord, GatewayApplication } from "../model/application.ts";
import type { EndReceivers } from "../model/end-receivers.ts";
import type { RecordStore } from "../records/record-store.ts";
import type { DriverSubmitter } from "../submit/submit-driver.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { ApplicationIndex } from "./application-index.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { type Entry, toApplication } from "./entry.ts";
import type { RemovedPods } from "./removed-pods.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** Listener of changes; `undefined`: the application was removed. */
export type ChangeListener = (key: string, application: GatewayApplication | undefined) => void;

/** Everything that the parts of the applications share. */
export interface ApplicationsScope {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: ServerLog;
  readonly store: RecordStore;
  /** Changes of records, by key. */
  readonly changes: KeyedQueue;
  readonly submitter: DriverSubmitter;
  readonly logs: DriverLogs;
  readonly index: ApplicationIndex;
  readonly dispatcher: Dispatcher;
  /** Explains a driver that has failed; `undefined` if there is nothing to say. */
  readonly diagnose: (pod: Pod) => Promise<string | undefined>;
  readonly retries: RetryPolicy;
  readonly receivers: EndReceivers;
  readonly tracing: Tracing;
  readonly listeners: Set<ChangeListener>;
  /** Pods of removed applications whose driver was never seen: an earlier process can have requested it. */
  readonly removedPods: RemovedPods;
  /** Aborts when the gateway stops. */
  readonly ending: AbortSignal;
}

/** Reports the present state of an application, unless a client has removed it. */
export function report({ listeners }: Pick<ApplicationsScope, "listeners">, entry: Entry): void {
  if (listeners.size === 0 || entry.record.isRemoved === true) return;
  const application = toApplication(entry);
  for (const listener of listeners) listener(entry.record.key, application);
}

/** Changes a record, after earlier changes of it. @throws SubmitError if it is not stored; then it is unchanged */
export function change(
  { store, changes }: Pick<ApplicationsScope, "store" | "changes">,
  entry: Entry,
  changed: Partial<ApplicationRecord>,
): Promise<void> {
  // Writes at the same time, also those of an earlier attempt, could arrive in another order.
  return changes.run(entry.record.key, async () => {
    const before = new Map(Object.entries(entry.record));
    entry.record = { ...entry.record, ...changed };
    try {
      await store.update(entry.record);
    } catch (error) {
      const undone = Object.fromEntries(Object.keys(changed).map((field) => [field, before.get(field)]));
      entry.record = { ...entry.record, ...undone };
      throw error;
    }
  });
}

/** Delay between attempts to store what has happened. */
const storeAgainMs = 1000;

/**
 * Changes a record to what has happened already: repeats it until it is stored, or the application is removed.
 *
 * @returns whether it is stored
 */
export async function changeSurely(
  scope: Pick<ApplicationsScope, "store" | "changes" | "log" | "host" | "ending" | "index">,
  entry: Entry,
  changes: Partial<ApplicationRecord>,
): Promise<boolean> {
  while (!scope.ending.aborted && scope.index.get(entry.record.key) === entry) {
    try {
      await change(scope, entry, changes);
      return true;
    } catch (error) {
      const { key } = entry.record;
      scope.log("WARN", "A record cannot be stored, and is stored again.", { key, reason: messageOf(error) });
      await scope.host.clock.sleep(storeAgainMs, { signal: scope.ending });
    }
  }
  return false;
}
