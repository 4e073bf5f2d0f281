import type { Issue } from "../../errors/issue.ts";
import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { keyedQueue } from "../../net/keyed-queue.ts";
import { appSelectorLabel } from "../../plan/labels.ts";
import type { DriverLogs } from "../logs/driver-logs.ts";
import type { ApplicationEnd, GatewayApplication } from "../model/application.ts";
import type { Applications, LogPage, NewApplication } from "../model/applications.ts";
import type { EndReceivers } from "../model/end-receivers.ts";
import type { FairQueue } from "../queue/fair-queue.ts";
import type { RecordStore } from "../records/record-store.ts";
import { followSchedulers } from "../schedulers/follow-schedulers.ts";
import type { PodMessage } from "../schedulers/read-message.ts";
import type { DriverSubmitter } from "../submit/submit-driver.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { acceptor, check } from "./accept.ts";
import { applicationIndex } from "./application-index.ts";
import { kill, remove, retry } from "./change-requests.ts";
import { continueRecords } from "./continue-records.ts";
import { deleteDriver } from "./delete-driver.ts";
import { startDispatcher } from "./dispatcher.ts";
import { type Entry, newEntry, toApplication } from "./entry.ts";
import { finish, missingEnd } from "./finish.ts";
import { followPods, onDriver } from "./follow-pods.ts";
import { numberSource } from "./number-source.ts";
import { reducePod } from "./observe-pod.ts";
import { readRecords } from "./read-records.ts";
import { removedPods } from "./removed-pods.ts";
import { type Retention, startRetention } from "./retention.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import { type ApplicationsScope, changeSurely, report } from "./scope.ts";
import { submitEntry } from "./submit-entry.ts";
import { traceSubmission } from "./trace-attempt.ts";

/** Dependencies of the applications of a gateway. */
export interface ApplicationsCall extends Pick<DriverSubmitter, "defaults" | "openEmbedded" | "isImpersonating"> {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: ServerLog;
  readonly store: RecordStore;
  readonly queue: FairQueue;
  readonly retries: RetryPolicy;
  readonly logs: DriverLogs;
  /** Namespace of applications that name none. */
  readonly namespace: string;
  /** Namespaces that are watched; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
  /** Maximum number of submissions that run at the same time. */
  readonly maxConcurrent: number;
  /** Explains a driver that has failed; `undefined` if there is nothing to say. */
  readonly diagnose: (pod: Pod) => Promise<string | undefined>;
  readonly retention: Retention;
  readonly receivers: EndReceivers;
  readonly tracing: Tracing;
}

/** Applications that are open. */
export interface OpenApplications extends Applications {
  /** Returns every problem of an application, without storing it. */
  readonly check: (application: NewApplication) => Promise<readonly Issue[]>;
  /** Resolves when the states of all earlier applications are known. */
  readonly synced: Promise<void>;
  /** Asks the queue again, because capacity may have become free. */
  readonly wake: () => void;
  /** Whether the pods of all watched namespaces are known. */
  readonly isSynced: () => boolean;
  readonly close: () => Promise<void>;
}

/** Reads the records, and continues what they say. @throws SubmitError if the records cannot be read */
export async function openApplications(call: ApplicationsCall): Promise<OpenApplications> {
  const { host, store } = call;
  const ending = new AbortController();
  const scope = createScope(call, ending.signal);
  const { index, dispatcher, listeners, logs } = scope;
  for (const record of await readRecords(scope)) index.add(newEntry(record));
  let onContinued = () => {};
  const synced = new Promise<void>((resolve) => {
    onContinued = resolve;
  });
  const pods = followPods(scope, call.namespaces, () => {
    void continueRecords(scope, call.namespaces ?? [call.namespace]).then(onContinued);
    startRetention(scope, call.retention);
  });
  followSchedulers({
    ...{ client: call.client.withoutRetries(), clock: host.clock, random: host.random, log: call.log },
    ...{ namespaces: call.namespaces, schedulers: call.defaults.schedulers?.values() ?? [], signal: ending.signal },
    onMessage: (message) => onSchedulerMessage(scope, message),
  });
  const accept = acceptor({
    scope,
    namespace: call.namespace,
    namespaces: call.namespaces,
    nextNumber: numberSource(store),
  });
  const shown = (entry: Entry | undefined) =>
    entry === undefined || entry.record.isRemoved === true ? undefined : withWaiting(call, entry);
  const read = async (key: string, page: (application: GatewayApplication) => Promise<LogPage>): Promise<LogPage> => {
    const application = shown(index.get(key));
    return application === undefined ? { lines: [], from: 0, total: 0 } : page(application);
  };
  return {
    submit: accept,
    check: async (application) => (await check({ scope, ...call }, application)).issues,
    synced,
    find: (protocol, id) => shown(index.find(protocol, id)),
    findByName: (protocol, name) => shown(index.findName(protocol, name)),
    get: (key) => shown(index.get(key)),
    *list() {
      for (const entry of index.all()) if (entry.record.isRemoved !== true) yield withWaiting(call, entry);
    },
    kill: (key, by) => kill(scope, key, by),
    remove: (key, by) => remove(scope, key, by),
    retry: (key) => retry(scope, key),
    readLog: (key, range) => read(key, (application) => logs.read(application, range)),
    async followLog(key, from, signal) {
      const application = shown(index.get(key));
      return application === undefined ? noPages() : logs.follow(application, from, signal);
    },
    async readReport(key, range) {
      await waitForExplanation(index.get(key), host);
      return read(key, (application) => logs.readReport(application, range));
    },
    async readReportTail(key, count) {
      const application = shown(index.get(key));
      return application === undefined ? [] : logs.readReportTail(application, count);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake: dispatcher.wake,
    isSynced: pods.isSynced,
    async close() {
      ending.abort();
      await dispatcher.stop();
    },
  };

  function createScope(
    {
      client,
      log,
      logs,
      diagnose,
      defaults,
      openEmbedded,
      isImpersonating,
      queue,
      retries,
      receivers,
      tracing,
      maxConcurrent,
    }: ApplicationsCall,
    signal: AbortSignal,
  ): ApplicationsScope {
    const submitter: DriverSubmitter = { host, client, defaults, openEmbedded, isImpersonating };
    const created: ApplicationsScope = {
      ...{ host, client, log, store, submitter, logs, diagnose, retries, receivers, tracing, ending: signal },
      ...{
        index: applicationIndex(),
        listeners: new Set(),
        changes: keyedQueue(),
        removedPods: removedPods(host.clock),
      },
      dispatcher: startDispatcher({
        ...{ clock: host.clock, random: host.random, log, queue, maxConcurrent },
        submit(entry, onOutput) {
          const earlierDriver = entry.driver !== undefined ? "required" : entry.canHaveDriver ? "possible" : "none";
          return submitEntry(created, entry, { earlierDriver, onOutput });
        },
        onChange: (entry) => report(created, entry),
        onSubmitted: (entry, pod) => onSubmitted(created, entry, pod),
        onFailed: (entry, end) => onFailed(created, entry, end),
        onKilled: (entry) => finish(created, entry, missingEnd(entry, host.clock.now()), undefined),
      }),
    };
    return created;
  }
}

/** Returns an application with its position, which changes with others. */
function withWaiting({ queue, host }: Pick<ApplicationsCall, "queue" | "host">, entry: Entry): GatewayApplication {
  const application = toApplication(entry);
  if (application.state !== "queued") return application;
  const { key, notBeforeMs = 0 } = entry.record;
  if (notBeforeMs <= host.clock.now()) return { ...application, waiting: queue.waiting(key) };
  return { ...application, waiting: { reason: `It is submitted again at ${new Date(notBeforeMs).toISOString()}.` } };
}

/** Applies what a scheduler says about a driver. */
function onSchedulerMessage(scope: ApplicationsScope, message: PodMessage): void {
  const entry = scope.index.findPod(message.namespace, message.podName);
  if (entry === undefined || entry.end !== undefined || message.atMs < (entry.schedulerMessage?.atMs ?? 0)) return;
  entry.schedulerMessage = message;
  report(scope, entry);
}

async function onSubmitted(scope: ApplicationsScope, entry: Entry, pod: Pod): Promise<void> {
  const { uid = "", labels = {} } = pod.metadata ?? {};
  // One that could not be rolled back.
  entry.rolledBack.delete(uid);
  // The watch knows more about a driver that it has shown: its other objects may have taken long.
  if (entry.driver?.uid !== uid) onDriver(scope, { object: reducePod(pod), isDeleted: false });
  await markSubmitted(scope, entry, labels[appSelectorLabel]);
}

async function onFailed(scope: ApplicationsScope, entry: Entry, end: ApplicationEnd): Promise<void> {
  const { key, killed, appId } = entry.record;
  if (entry.driver === undefined)
    return finish(scope, entry, killed === undefined ? end : missingEnd(entry, end.atMs), undefined);
  // For example, the settings of the gateway have changed since an earlier process created the driver.
  scope.log("WARN", "An interrupted submission cannot be completed.", { key, reason: end.message });
  await markSubmitted(scope, entry, appId);
}

/** Stores that an attempt is submitted, with all its objects. */
async function markSubmitted(scope: ApplicationsScope, entry: Entry, appId: string | undefined): Promise<void> {
  entry.phase = "submitted";
  // Without this mark, a restart submits again an application whose driver was deleted meanwhile.
  if (await changeSurely(scope, entry, { appId })) traceSubmission(scope, entry);
  if (entry.record.killed !== undefined && entry.end === undefined) await deleteDriver(scope, entry);
}

/** Time for which a client that reads the output waits for the explanation of a failure. */
const explanationMs = 10_000;

/** Waits for the explanation of an application that has just ended: clients read its output as soon as they see the state. */
async function waitForExplanation(entry: Entry | undefined, { clock }: Pick<Host, "clock">): Promise<void> {
  if (entry?.explanation === undefined || entry.isExplained) return;
  const done = new AbortController();
  await Promise.race([
    entry.explanation.finally(() => done.abort()),
    clock.sleep(explanationMs, { signal: done.signal, background: true }),
  ]);
}

async function* noPages(): AsyncGenerator<LogPage> {}
