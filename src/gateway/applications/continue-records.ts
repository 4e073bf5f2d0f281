import { messageOf } from "../../errors/message-of.ts";
import { limitLog } from "../../http/server-log.ts";
import { sweep } from "../../masters/kubernetes/sweep/sweep.ts";
import { repeatForLateRequests } from "../repeat-for-late-requests.ts";
import { incompleteObjects } from "../submit/mark-objects.ts";
import { gatewayLabel } from "../submit/to-invocation.ts";
import { deleteDriver } from "./delete-driver.ts";
import { deliverEnd, finish, missingEnd } from "./finish.ts";
import { abandonLog } from "./keep-log.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Continues what an earlier process has left, once all existing drivers are known; then submits. */
export async function continueRecords(scope: ApplicationsScope, namespaces: readonly string[]): Promise<void> {
  const { index, dispatcher, host, ending } = scope;
  // Before the first submission, whose own objects have no owner for some time.
  await Promise.all(namespaces.map((namespace) => completeObjects(scope, namespace, Number.NEGATIVE_INFINITY)));
  if (ending.aborted) return;
  void completeLateObjects(scope, namespaces);
  for (const entry of index.all()) {
    const { killed, appId } = entry.record;
    if (entry.end !== undefined) void deliverEnd(scope, entry);
    if (entry.end !== undefined && !entry.hasPod) void abandonLog(scope, entry);
    if (entry.end !== undefined) continue;
    if (entry.hasPod && killed !== undefined) void deleteDriver(scope, entry);
    if (entry.phase !== "waiting") continue;
    if (killed !== undefined || appId !== undefined) {
      void finish(scope, entry, missingEnd(entry, host.clock.now()), undefined);
    } else dispatcher.add(entry);
  }
  dispatcher.open();
}

/** Least age of late objects: a running submission takes less. */
const lateMs = 15_000;

/**
 * Repeats `completeObjects`: a request of an earlier process, or one that this process has given up, can reach the API at any time. It does not
 * matter if this deletes an object of a running submission, whose last step creates what is missing.
 */
async function completeLateObjects(scope: ApplicationsScope, namespaces: readonly string[]): Promise<void> {
  const { host, ending } = scope;
  const limited = { ...scope, log: limitLog(scope.log, host.clock) };
  await repeatForLateRequests(host.clock, ending, async () => {
    for (const namespace of namespaces) await completeObjects(limited, namespace, lateMs);
  });
}

/** Makes drivers the owners of objects of interrupted submissions, and deletes the objects without a driver that are old enough. */
async function completeObjects(
  { client, host, log, submitter }: ApplicationsScope,
  namespace: string,
  olderThanMs: number,
): Promise<void> {
  const { gateway } = submitter.defaults;
  const selectors = { objects: incompleteObjects(gateway), drivers: `${gatewayLabel}=${gateway}` };
  try {
    const call = { client, clock: host.clock, namespace, olderThanMs, dryRun: false, selectors };
    const { objects, issues } = await sweep(call);
    for (const { message } of issues)
      log("WARN", "Objects of interrupted submissions cannot be completed.", { namespace, reason: message });
    const count = objects.filter(({ action }) => action !== "kept").length;
    if (count > 0) log("INFO", "Objects of interrupted submissions are completed.", { count });
  } catch (error) {
    log("WARN", "Objects of interrupted submissions cannot be completed.", { namespace, reason: messageOf(error) });
  }
}
