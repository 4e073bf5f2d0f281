import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { startInformer, type TrackedObject } from "../../masters/kubernetes/diagnose/informer.ts";
import type { DriverLogs } from "../logs/driver-logs.ts";
import type { RecordStore } from "../records/record-store.ts";
import { checkSubmission, type DriverSubmitter, submitDriver } from "../submit/submit-driver.ts";
import { gatewayLabel, keyLabel, type SubmissionDefaults } from "../submit/to-invocation.ts";
import type { ApplicationEnd, ApplicationRecord, GatewayApplication, Protocol } from "./application.ts";
import type { Applications, NewApplication, SubmitResult } from "./applications.ts";
import { type Admission, startDispatcher } from "./dispatcher.ts";
import { type Entry, newEntry, toApplication } from "./entry.ts";
import { driverIndex } from "./indexes.ts";
import { newRecord, requestDigest } from "./new-record.ts";
import { observeDriver, observeExecutor, reducePod } from "./observe-pod.ts";

/** Dependencies of the applications of a gateway. */
export interface ApplicationsCall {
  readonly host: Host;
  readonly client: KubeClient;
  readonly openEmbedded: DriverSubmitter["openEmbedded"];
  readonly log: ServerLog;
  readonly store: RecordStore;
  readonly defaults: SubmissionDefaults;
  readonly admission: Admission;
  readonly logs: DriverLogs;
  /** Namespace of applications that name none. */
  readonly namespace: string;
  /** Namespaces that are watched; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
  /** Maximum number of submissions that run at the same time. */
  readonly maxConcurrent: number;
  /** Explains a driver that has failed; `undefined` if there is nothing to say. */
  readonly diagnose: (pod: Pod) => Promise<string | undefined>;
}

/** Applications that are open. */
export interface OpenApplications extends Applications {
  /** Whether the pods of all watched namespaces are known. */
  readonly isSynced: () => boolean;
  readonly close: () => Promise<void>;
}

/** IDs that are reserved together: a restart loses what is left of them. */
const reservedIds = 100;
/** Time after which a driver that the API does not show is missing, if its submission is known to have succeeded. */
const retryAfterSeconds = 5;

/** Reads the records, and continues what they say. @throws SubmitError if the records cannot be read */
export async function openApplications(call: ApplicationsCall): Promise<OpenApplications> {
  const { host, client, log, store, defaults, admission, namespace } = call;
  const submitter: DriverSubmitter = { host, client, defaults, openEmbedded: call.openEmbedded };
  const index = driverIndex();
  const listeners = new Set<(key: string, application: GatewayApplication | undefined) => void>();
  const ending = new AbortController();
  const report = (entry: Entry) => {
    for (const listener of listeners) listener(entry.record.key, toApplication(entry));
  };

  const store_ = async (entry: Entry, changes: Partial<ApplicationRecord>) => {
    entry.record = { ...entry.record, ...changes };
    await store.update(entry.record);
  };

  const finish = async (entry: Entry, end: ApplicationEnd, pod: Pod | undefined) => {
    if (entry.end !== undefined) return;
    entry.end = end;
    entry.isRunning = false;
    entry.waiting = undefined;
    dispatcher.remove(entry);
    report(entry);
    dispatcher.wake();
    const logTail = pod === undefined ? undefined : await call.logs.keep(entry.record, pod).catch(() => undefined);
    const message =
      end.state === "failed" && pod !== undefined ? await call.diagnose(pod).catch(() => undefined) : undefined;
    entry.end = { ...end, message: message ?? end.message, ...(logTail !== undefined && { logTail }) };
    await persist(() => store_(entry, { end: entry.end }));
    report(entry);
  };

  /** Repeats a change of the store until it succeeds: the state in memory must not be lost. */
  const persist = async (change: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      try {
        return await change();
      } catch (error) {
        log("WARN", "A record cannot be stored, and is stored again.", { reason: messageOf(error) });
        await host.clock.sleep(1000, { signal: ending.signal });
      }
    }
  };

  const onDriver = ({ object: pod, isDeleted }: TrackedObject<Pod>) => {
    const key = pod.metadata?.labels?.[keyLabel];
    const entry = key === undefined ? undefined : index.get(key);
    if (entry === undefined || pod.metadata?.name !== entry.record.podName) return;
    const appId = pod.metadata.labels?.["spark-app-selector"];
    const { driver, isRunning, end } = observeDriver(pod, entry.record);
    entry.phase = "submitted";
    dispatcher.remove(entry);
    if (entry.end !== undefined) return;
    entry.driver = driver;
    entry.isRunning = isRunning;
    if (appId !== undefined && entry.record.appId === undefined) entry.record = { ...entry.record, appId };
    if (end !== undefined) void finish(entry, end, pod);
    else if (isDeleted) void finish(entry, deletedEnd(entry, host.clock.now()), undefined);
    else report(entry);
  };

  const onExecutor = ({ object: pod, isDeleted }: TrackedObject<Pod>) => {
    const key = pod.metadata?.labels?.[keyLabel];
    const entry = key === undefined ? undefined : index.get(key);
    if (entry === undefined) return;
    const before = entry.executors.get(pod.metadata?.uid ?? "");
    const observed = observeExecutor(pod, before);
    const state = isDeleted && observed.state !== "failed" ? "succeeded" : observed.state;
    const endedMs = observed.endedMs ?? (isDeleted ? host.clock.now() : undefined);
    entry.executors.set(pod.metadata?.uid ?? "", { ...observed, state, endedMs });
    report(entry);
  };

  const deleteDriver = async ({ record, driver }: Entry) => {
    await client.delete({
      ...{ type: resourceTypes.pod, namespace: record.namespace, name: record.podName },
      ...(driver !== undefined && { uid: driver.uid }),
    });
  };

  const dispatcher = startDispatcher({
    ...{ clock: host.clock, random: host.random, log, admission, maxConcurrent: call.maxConcurrent },
    submit: (entry, onOutput) => submitDriver(submitter, entry.record, onOutput),
    onChange: report,
    async onSubmitted(entry, pod) {
      onDriver({ object: reducePod(pod), isDeleted: false });
      // A driver without this mark can be submitted again after a restart.
      await persist(() => store_(entry, { appId: pod.metadata?.labels?.["spark-app-selector"] }));
      if (entry.record.killed !== undefined && entry.end === undefined) await deleteDriver(entry);
    },
    onFailed: (entry, end) => finish(entry, entry.record.killed === undefined ? end : killedEnd(end), undefined),
  });

  for (const record of await store.list()) index.add(newEntry(record));
  let [nextId, lastReserved] = [0, -1];
  let reserving: Promise<void> | undefined;
  const nextNumber = async (): Promise<number> => {
    while (nextId > lastReserved) {
      reserving ??= store.reserveIds(reservedIds).then((first) => {
        [nextId, lastReserved] = [first, first + reservedIds - 1];
        reserving = undefined;
      });
      await reserving.catch((error: unknown) => {
        reserving = undefined;
        throw error;
      });
    }
    nextId += 1;
    return nextId - 1;
  };

  const pendingRequests = new Map<string, Promise<SubmitResult>>();
  const accept = async (application: NewApplication): Promise<SubmitResult> => {
    const known = findKnown(application);
    if (known !== undefined) return known;
    try {
      const record = newRecord(application, { host, number: await nextNumber(), namespace });
      const issues = await checkSubmission(submitter, record);
      if (issues.length > 0) return { kind: "rejected", issues };
      if (!(await store.create(record))) return { kind: "conflict", with: "id", id: record.id };
      const entry = newEntry(record);
      index.add(entry);
      report(entry);
      dispatcher.add(entry);
      return { kind: "accepted", application: toApplication(entry) };
    } catch (error) {
      log("WARN", "An application cannot be accepted.", { reason: messageOf(error) });
      return { kind: "unavailable", reason: messageOf(error), retryAfterSeconds };
    }
  };

  const findKnown = (application: NewApplication): SubmitResult | undefined => {
    const { protocol, id, idempotencyKey, owner, name, hasUniqueName = false } = application;
    const byId = id === undefined ? undefined : index.find(protocol, id);
    const byKey = idempotencyKey === undefined ? undefined : index.findRequest(protocol, owner, idempotencyKey);
    const known = byId ?? byKey;
    if (known !== undefined) {
      // The operator repeats a request with its settings in another order.
      const isSame = protocol === "submitter" || known.record.requestDigest === requestDigest(application);
      if (isSame) return { kind: "repeated", application: toApplication(known) };
      return { kind: "conflict", with: byId === undefined ? "idempotencyKey" : "id", id: known.record.id };
    }
    const named = hasUniqueName && name !== undefined ? index.findName(protocol, name) : undefined;
    return named === undefined ? undefined : { kind: "conflict", with: "name", id: named.record.id };
  };

  const pods = (call.namespaces ?? [undefined]).map((watched) => {
    const synced = { isDone: false };
    for (const role of ["driver", "executor"] as const) {
      const informer = startInformer<Pod>({
        ...{ client: client.withoutRetries(), clock: host.clock, random: host.random, type: resourceTypes.pod },
        ...(watched !== undefined && { namespace: watched }),
        labelSelector: `${gatewayLabel}=${defaults.gateway},spark-role=${role}`,
        transform: reducePod,
        signal: ending.signal,
        onFailure: (error) => log("WARN", "The watch of pods is interrupted.", { reason: messageOf(error) }),
        onDenied: (error) => log("ERROR", "Pods may not be watched.", { reason: messageOf(error) }),
        onListEnd() {
          if (role !== "driver" || synced.isDone) return;
          synced.isDone = true;
          if (pods.every(({ isDone }) => isDone)) setImmediate(continueRecords);
        },
      });
      informer.onChange(role === "driver" ? onDriver : onExecutor);
    }
    return synced;
  });

  /** Continues applications whose drivers do not exist, once all existing ones are known. */
  function continueRecords(): void {
    for (const entry of index.all()) {
      if (entry.end !== undefined || entry.driver !== undefined || entry.phase !== "waiting") continue;
      const { killed, appId } = entry.record;
      if (killed !== undefined || appId !== undefined)
        void finish(entry, deletedEnd(entry, host.clock.now()), undefined);
      else dispatcher.add(entry);
    }
  }

  const find = (protocol: Protocol, id: string) => {
    const entry = index.find(protocol, id);
    return entry === undefined ? undefined : toApplication(entry);
  };
  const kill = async (key: string, by: string | undefined): Promise<boolean> => {
    const entry = index.get(key);
    if (entry === undefined || entry.end !== undefined) return false;
    if (entry.record.killed === undefined) await store_(entry, { killed: { by, atMs: host.clock.now() } });
    if (entry.phase === "waiting") await finish(entry, deletedEnd(entry, host.clock.now()), undefined);
    // A submission that runs deletes its driver when it sees the request.
    else if (entry.driver !== undefined) await deleteDriver(entry);
    return true;
  };
  return {
    async submit(application) {
      const { protocol, id, idempotencyKey, owner, name, hasUniqueName = false } = application;
      const identities = [
        ...(id === undefined ? [] : [["id", protocol, id]]),
        ...(idempotencyKey === undefined ? [] : [["request", protocol, owner, idempotencyKey]]),
        ...(hasUniqueName && name !== undefined ? [["name", protocol, name]] : []),
      ].map((parts) => JSON.stringify(parts));
      // Of concurrent requests with one identity, one is accepted; the others then find it.
      for (;;) {
        const earlier = identities
          .map((identity) => pendingRequests.get(identity))
          .find((found) => found !== undefined);
        if (earlier === undefined) break;
        await earlier;
      }
      const result = accept(application);
      for (const identity of identities) pendingRequests.set(identity, result);
      try {
        return await result;
      } finally {
        for (const identity of identities) pendingRequests.delete(identity);
      }
    },
    find,
    findByName(protocol, name) {
      const entry = index.findName(protocol, name);
      return entry === undefined ? undefined : toApplication(entry);
    },
    get(key) {
      const entry = index.get(key);
      return entry === undefined ? undefined : toApplication(entry);
    },
    *list() {
      for (const entry of index.all()) yield toApplication(entry);
    },
    kill,
    async remove(key, by) {
      const entry = index.get(key);
      if (entry === undefined) return;
      await kill(key, by);
      await store.remove(key);
      index.remove(key);
      for (const listener of listeners) listener(key, undefined);
    },
    async retry(key) {
      const entry = index.get(key);
      if (entry?.end === undefined) return false;
      const { end: _, killed: __, appId: ___, ...record } = entry.record;
      const attempt = record.attempt + 1;
      const podName = `${record.podName.replace(/-\d+$/, "")}-${attempt}`;
      const next = newEntry({ ...record, attempt, podName });
      await store.update(next.record);
      index.replace(next);
      report(next);
      dispatcher.add(next);
      return true;
    },
    readLog: (key, range) => readOf(key, (application) => call.logs.read(application, range)),
    readReport: (key, range) => readOf(key, (application) => call.logs.readReport(application, range)),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isSynced: () => pods.every(({ isDone }) => isDone),
    async close() {
      ending.abort();
      await dispatcher.stop();
      await store.close();
    },
  };

  async function readOf<T extends { lines: readonly string[]; from: number; total: number }>(
    key: string,
    read: (application: GatewayApplication) => Promise<T>,
  ) {
    const entry = index.get(key);
    return entry === undefined ? { lines: [], from: 0, total: 0 } : read(toApplication(entry));
  }
}

function deletedEnd({ record, driver, isRunning }: Entry, atMs: number): ApplicationEnd {
  const hasStarted = isRunning || driver?.startedMs !== undefined;
  if (record.killed !== undefined) return { state: "killed", atMs, reason: "Killed", hasStarted };
  const message = "The driver's pod was deleted before it ended, not through this gateway.";
  return { state: "failed", atMs, reason: "Deleted", message, hasStarted };
}

function killedEnd({ atMs }: ApplicationEnd): ApplicationEnd {
  return { state: "killed", atMs, reason: "Killed", hasStarted: false };
}
