import type { Observation } from "../../../diagnosis/observation.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ContainerStatus, Event, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { lines } from "../../../kube-client/lines.ts";
import { limiter } from "../../../net/limiter.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { listApplicationEvents } from "../diagnose/application-events.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import type { BundleFacts } from "./bundle-documents.ts";
import type { MissingPart } from "./bundle-manifest.ts";
import type { LogId, LogStore } from "./log-store.ts";

/** Sources of a bundle. */
export interface BundleSource {
  readonly client: KubeClient;
  readonly driver: TrackedObject<Pod>;
  /** Executors known so far, also deleted ones. */
  readonly executors: readonly TrackedObject<Pod>[];
  readonly observation: Observation;
  /** Logs that were stored while their containers ran, and those that are read now. */
  readonly store: LogStore;
  /** Logs of which a part could not be stored. @default none */
  readonly incomplete?: readonly IncompleteLog[];
  readonly signal?: AbortSignal | undefined;
}

/** A log of which a part could not be read. */
export interface IncompleteLog extends LogId {
  readonly reason: string;
}

const logConcurrency = 4;
const maxLineBytes = 1024 * 1024;
const newline = Buffer.from("\n");

/**
 * Reads what the API has about an application, besides what is known already. Lists what it could not read instead of failing.
 *
 * @throws Node's error if a log cannot be stored
 */
export async function collectBundle(source: BundleSource): Promise<BundleFacts> {
  const { client, driver, observation, store } = source;
  const missing: MissingPart[] = [];
  const attempt = async <T>(what: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await read();
    } catch (error) {
      missing.push({ what, reason: messageOf(error) });
      return [];
    }
  };
  const executors = await attempt("executors", () => listExecutors(source));
  const all = merged(source.executors, executors);
  const names = all.map(({ object }) => object.metadata?.name ?? "");
  const events = await attempt("events", () => listApplicationEvents(client, driver.object, names));
  await readLogs(source, [driver, ...all], missing);
  return {
    ...{ observation, driver, executors: all, missing, server: client.server, logs: store.list() },
    events: uniqueEvents([...observation.events, ...events]),
  };
}

async function listExecutors({ client, driver, signal }: BundleSource): Promise<readonly TrackedObject<Pod>[]> {
  const { namespace = "", labels = {} } = driver.object.metadata ?? {};
  const appId = labels[appSelectorLabel];
  if (appId === undefined) return [];
  const labelSelector = `${appSelectorLabel}=${appId},${roleLabel}=executor`;
  const { items } = await client.list<Pod>({
    type: resourceTypes.pod,
    ...{ namespace, labelSelector, ...(signal !== undefined && { signal }) },
  });
  return items.map((object) => ({ object, isDeleted: false }));
}

/** Returns the known and the listed executors, each in its newest state. */
function merged(known: BundleSource["executors"], listed: BundleSource["executors"]): BundleSource["executors"] {
  const names = new Set(listed.map(({ object }) => object.metadata?.name));
  return [...known.filter(({ object }) => !names.has(object.metadata?.name)), ...listed];
}

/** Returns each event once, in its newest state. */
function uniqueEvents(events: readonly Event[]): readonly Event[] {
  return [...new Map(events.map((event) => [event.metadata.uid ?? event.metadata.name ?? "", event])).values()];
}

/** Stores the logs that have not been stored yet. Stops at the first one that the account must not read. */
async function readLogs(
  source: BundleSource,
  pods: readonly TrackedObject<Pod>[],
  missing: MissingPart[],
): Promise<void> {
  for (const log of source.incomplete ?? []) {
    // One without content is read again.
    if (source.store.has(log))
      missing.push({ what: `part of the log of ${log.container} in ${log.pod}`, reason: log.reason });
  }
  const ids = pods.flatMap((pod) => logsOf(pod.object)).filter((id) => !source.store.has(id));
  const limited = limiter(logConcurrency);
  let isDenied = false;
  await Promise.all(
    ids.map((id) =>
      limited(async () => {
        if (isDenied) return;
        const error = await readLog(source, id);
        if (error === undefined) return;
        const isFirstDenial = statusOf(error)?.code === 403 && !isDenied;
        if (isDenied) return;
        isDenied = isFirstDenial;
        const what = `${id.isPrevious ? "previous log" : "log"} of ${id.container} in ${id.pod}`;
        missing.push({ what: isFirstDenial ? "logs" : what, reason: messageOf(error) });
      }),
    ),
  );
}

/** Lists the logs that a pod's containers have. */
function logsOf({ metadata, status }: Pod): readonly LogId[] {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  const pod = metadata?.name ?? "";
  return [...initContainerStatuses, ...containerStatuses].flatMap((container) => [
    ...(hasRun(container) ? [{ pod, container: container.name, isPrevious: false }] : []),
    ...(container.restartCount > 0 ? [{ pod, container: container.name, isPrevious: true }] : []),
  ]);
}

function hasRun({ state = {}, lastState = {} }: ContainerStatus): boolean {
  return [state.running, state.terminated, lastState.terminated].some((one) => one !== undefined);
}

/** Stores one log. @returns the error of the API */
async function readLog({ client, driver, store, signal }: BundleSource, id: LogId): Promise<unknown> {
  const { namespace = "" } = driver.object.metadata ?? {};
  const call = { namespace, pod: id.pod, container: id.container, ...(id.isPrevious && { previous: true }) };
  const chunks = client.logs({ ...call, ...(signal !== undefined && { signal }) });
  const sink = store.open(id);
  const source = lines(chunks, maxLineBytes);
  for (;;) {
    let next: Awaited<ReturnType<typeof source.next>>;
    try {
      next = await source.next();
    } catch (error) {
      return error;
    }
    if (next.done === true) return undefined;
    const { bytes, end } = next.value;
    sink.write(end === "newline" ? Buffer.concat([bytes, newline]) : bytes);
  }
}
