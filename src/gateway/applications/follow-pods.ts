import { messageOf } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import { startInformer, type TrackedObject } from "../../masters/kubernetes/diagnose/informer.ts";
import { appSelectorLabel, roleLabel } from "../../plan/labels.ts";
import { gatewayLabel, keyLabel } from "../submit/to-invocation.ts";
import { endMissedDrivers } from "./end-missed-drivers.ts";
import type { Entry } from "./entry.ts";
import { finish, missingEnd } from "./finish.ts";
import { keepLogAgain } from "./keep-log.ts";
import { deleteIfLate } from "./late-driver.ts";
import { observeDriver, observeExecutor, reducePod } from "./observe-pod.ts";
import { type ApplicationsScope, report } from "./scope.ts";

/** Pods of the gateway's applications. */
export interface FollowedPods {
  /** Whether all existing drivers are known. */
  readonly isSynced: () => boolean;
}

/**
 * Follows the pods of a gateway: one watch for drivers and one for executors, in each namespace.
 *
 * @param namespaces `undefined` for all namespaces
 * @param onSynced called once when all existing drivers are known
 */
export function followPods(
  scope: ApplicationsScope,
  namespaces: readonly string[] | undefined,
  onSynced: () => void,
): FollowedPods {
  const { client, host, log, ending, submitter } = scope;
  const unknown = new Set((namespaces ?? [""]).map((namespace) => namespace));
  for (const namespace of namespaces ?? [""])
    for (const role of ["driver", "executor"] as const) {
      const informer = startInformer<Pod>({
        ...{ client: client.withoutRetries(), clock: host.clock, random: host.random, type: resourceTypes.pod },
        ...(namespace !== "" && { namespace }),
        labelSelector: `${gatewayLabel}=${submitter.defaults.gateway},${roleLabel}=${role}`,
        transform: reducePod,
        signal: ending,
        onFailure: (error) => log("WARN", "The watch of pods is interrupted.", { namespace, reason: messageOf(error) }),
        onDenied: (error) => log("ERROR", "Pods may not be watched.", { namespace, reason: messageOf(error) }),
        onListEnd() {
          if (role !== "driver") return;
          const drivers = informer.get().flatMap(({ object, isDeleted }) => (isDeleted ? [] : [object]));
          void endMissedDrivers(scope, drivers, namespace);
          if (unknown.delete(namespace) && unknown.size === 0) onSynced();
        },
      });
      informer.onChange(role === "driver" ? (pod) => onDriver(scope, pod) : (pod) => onExecutor(scope, pod));
    }
  return { isSynced: () => unknown.size === 0 };
}

/** Applies the state of a driver. A pod of an earlier attempt changes nothing. */
export function onDriver(scope: ApplicationsScope, { object: pod, isDeleted }: TrackedObject<Pod>): void {
  const entry = entryOf(scope, pod);
  if (!isDeleted) deleteIfLate(scope, entry, pod);
  if (entry === undefined || pod.metadata?.name !== entry.record.podName) return;
  if (entry.rolledBack.has(pod.metadata.uid ?? "")) return;
  const isInterrupted = entry.phase === "waiting" && entry.record.appId === undefined;
  entry.phase = "submitted";
  entry.hasPod = !isDeleted;
  scope.dispatcher.remove(entry);
  const { driver, isRunning, isDisrupted, end } = observeDriver(pod, entry.record);
  if (entry.end !== undefined) {
    entry.driver ??= driver;
    if (entry.hasPod) void keepLogAgain(scope, entry);
    return;
  }
  scope.dispatcher.started(entry);
  entry.driver = driver;
  entry.isRunning = isRunning;
  entry.isDisrupted ||= isDisrupted;
  const appId = pod.metadata.labels?.[appSelectorLabel];
  if (appId !== undefined && entry.record.appId === undefined) entry.record = { ...entry.record, appId };
  if (isInterrupted && end === undefined && !isDeleted) scope.dispatcher.complete(entry);
  // A pod that is deleted goes with its log.
  if (pod.metadata.deletionTimestamp != null && driver.startedMs !== undefined && !isDeleted)
    scope.logs.followEnd(entry.record, driver.container);
  if (end !== undefined) void finish(scope, entry, end, isDeleted ? undefined : pod);
  else if (isDeleted) void finish(scope, entry, missingEnd(entry, scope.host.clock.now()), undefined);
  else report(scope, entry);
}

function onExecutor(scope: ApplicationsScope, { object: pod, isDeleted }: TrackedObject<Pod>): void {
  const entry = entryOf(scope, pod);
  if (entry === undefined) return;
  const uid = pod.metadata?.uid ?? "";
  const observed = observeExecutor(pod, entry.executors.get(uid));
  // A driver deletes executors that it no longer needs.
  const state = isDeleted && observed.state !== "failed" ? "succeeded" : observed.state;
  const endedMs = observed.endedMs ?? (isDeleted ? scope.host.clock.now() : undefined);
  entry.executors.set(uid, { ...observed, state, endedMs });
  limitExecutors(entry);
  report(scope, entry);
}

/** Executors that are kept of one application: dynamic allocation can create thousands. */
const maxExecutors = 1000;

function limitExecutors({ executors }: Entry): void {
  if (executors.size <= maxExecutors) return;
  for (const [uid, { endedMs }] of executors)
    if (endedMs !== undefined) {
      executors.delete(uid);
      return;
    }
}

function entryOf({ index }: ApplicationsScope, { metadata }: Pod): Entry | undefined {
  const key = metadata?.labels?.[keyLabel];
  return key === undefined ? undefined : index.get(key);
}
