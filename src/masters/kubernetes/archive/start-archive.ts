import { abortSignalOf } from "../../../errors/stop-signal.ts";
import { messageOf } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { makeProcessDirectory } from "../../../host/make-process-directory.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import type { Pod } from "../../../kube/types.ts";
import { appSelectorLabel } from "../../../plan/labels.ts";
import { type ArchiveLocation, parseArchiveLocation, printArchiveLocation } from "../../../values/archive-location.ts";
import type { Interruption } from "../../interruption.ts";
import { printClusterOptions } from "../../print-cluster-options.ts";
import type { DriverOutcome, Submitted } from "../../submit-outcome.ts";
import type { Observer } from "../diagnose/observer.ts";
import { executorContainerOf, followExecutors } from "../logs/follow-executor-logs.ts";
import type { UploadsRemoval } from "../stage/uploads/remove-uploads.ts";
import type { UploadOwner } from "../stage/uploads/upload-targets.ts";
import { followDriverLog, type LogSink } from "../watch/follow-driver-log.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { isArchivedByCluster } from "./archive-request.ts";
import { awaitClusterArchive } from "./await-cluster-archive.ts";
import { collectBundle, type IncompleteLog } from "./collect-bundle.ts";
import { type LogStore, logStore } from "./log-store.ts";
import { packBundle } from "./pack-bundle.ts";
import { storeBundle } from "./store-bundle.ts";

interface ArchiveCall {
  readonly waitOptions: { readonly archive: string | undefined };
  /** Host and settings, also for the credentials of stores. */
  readonly uploader?: UploadsRemoval | undefined;
  readonly watched: WatchedPod;
  readonly log: Log;
  readonly observer: Observer;
  readonly interrupted: Pick<Interruption, "signal">;
  readonly cluster: Pick<Submitted, "master" | "context">;
}

/** Archive of one application, whose logs are stored while it runs. */
export interface Archive {
  /** Writes the bundle after the end of the wait. Logs the result, a failure as one warning. Does not throw. */
  readonly write: (outcome: DriverOutcome) => Promise<void>;
  /** Removes the temporary files. */
  readonly stop: () => void;
}

const logger = "Archive";
/** Each executor needs a connection. The logs of others are read after their end, if their pods still exist. */
const maxExecutors = 64;
const drainTimeoutMs = 10_000;

interface ArchiveState {
  readonly host: Host;
  readonly owner: UploadOwner;
  readonly location: ArchiveLocation;
  readonly watched: WatchedPod;
  readonly observer: Observer;
  readonly signal: AbortSignal;
  readonly store: LogStore;
  /** Directory for temporary files. */
  readonly work: string;
  /** Logs of which a part could not be read. */
  readonly incomplete: IncompleteLog[];
  /** First failure to store a log. */
  failure: { readonly error: unknown } | undefined;
}

/**
 * Starts the archive of a driver for the process that waits for it. If the driver's cluster writes the archive, only waits for it.
 * `undefined` without a location.
 */
export function startArchive(call: ArchiveCall): Archive | undefined {
  const { interrupted, log, uploader, waitOptions, watched } = call;
  const location = parseArchiveLocation(waitOptions.archive ?? "");
  if (location === undefined || uploader === undefined) return undefined;
  if (!isArchivedByCluster(uploader.host, watched.latest.get(), location)) return startOwnArchive(call);
  return {
    async write(outcome) {
      if (hasEnded(outcome)) return awaitClusterArchive(watched, log, abortSignalOf(interrupted.signal));
      log("INFO", logger, `The cluster archives the application in ${printArchiveLocation(location)} after its end.`);
    },
    stop() {},
  };
}

/** Starts to store the logs of a driver and its executors: drivers delete their executors at their end. `undefined` without a location. */
export function startOwnArchive(call: ArchiveCall): Archive | undefined {
  const { cluster, interrupted, log, observer, uploader, waitOptions } = call;
  const location = parseArchiveLocation(waitOptions.archive ?? "");
  if (location === undefined || uploader === undefined) return undefined;
  const watched = { ...call.watched, log };
  const { namespace = "", name = "" } = watched.latest.get().metadata ?? {};
  const command = `firesteel bundle ${namespace}:${name} ${printClusterOptions(cluster)}`;
  const warn = (error: unknown) => {
    const reason = messageOf(error).replace(/\.$/, "");
    const text = `Cannot archive the application in ${printArchiveLocation(location)}: ${reason}.`;
    log("WARN", logger, `${text} To make the bundle while the driver's pod exists, run: ${command}`);
  };
  const { files } = uploader.host;
  let work: string;
  try {
    work = makeProcessDirectory(uploader.host, `${files.temporaryRoot}/firesteel-archive-`);
  } catch (error) {
    return { write: async () => warn(error), stop() {} };
  }
  const store = logStore(uploader.host, work);
  const signal = abortSignalOf(interrupted.signal);
  const state: ArchiveState = {
    ...uploader,
    location,
    watched,
    observer,
    signal,
    store,
    work,
    incomplete: [],
    failure: undefined,
  };
  const logs = followLogs(state);
  return {
    async write(outcome) {
      try {
        if (!hasEnded(outcome)) throw new Error("the wait ended before the driver");
        await logs.drain();
        if (state.failure !== undefined) throw state.failure.error;
        log("INFO", logger, `Archived the application in ${await writeBundle(state, isDeleted(outcome))}`);
      } catch (error) {
        warn(error);
      }
    },
    stop() {
      logs.stop();
      removeTree(files, work);
    },
  };
}

function hasEnded(outcome: DriverOutcome): boolean {
  return outcome.kind !== "unknown" && !("driver" in outcome && outcome.driver === "running");
}

function isDeleted(outcome: DriverOutcome): boolean {
  return outcome.kind === "deleted" || ("driver" in outcome && outcome.driver === "deleted");
}

/** Stores the log of the driver and those of its executors as they arrive. */
function followLogs(state: ArchiveState) {
  const { watched, observer, store } = state;
  const sinkOf = (pod: Pod, container: string): LogSink => {
    const sink = store.open({ pod: pod.metadata?.name ?? "", container, isPrevious: false });
    return {
      ...sink,
      write(text) {
        try {
          sink.write(text);
        } catch (error) {
          state.failure ??= { error };
        }
      },
    };
  };
  // The wait for the driver warns about logs that cannot be followed; the bundle lists them.
  const quiet = { ...watched, client: watched.client.withoutRetries(), log: () => {} };
  const onIncomplete = (pod: Pod, container: string, error: unknown) => {
    const id = { pod: pod.metadata?.name ?? "", container, isPrevious: false };
    state.incomplete.push({ ...id, reason: messageOf(error) });
  };
  const [pod, { container }] = [watched.latest.get(), watched];
  const driver = followDriverLog({
    ...{ ...quiet, stdout: sinkOf(pod, container) },
    onIncomplete: (error) => onIncomplete(pod, container, error),
  });
  const executors = followExecutors({
    ...{ ...quiet, observer, maxStreams: maxExecutors, drainTimeoutMs },
    sinkOf: (executor) => sinkOf(executor, executorContainerOf(executor)),
    onIncompleteLog: (executor, error) => onIncomplete(executor, executorContainerOf(executor), error),
  });
  return {
    async drain() {
      await Promise.all([driver.drain().catch(() => {}), executors.drain()]);
    },
    stop() {
      driver.stop();
      executors.stop();
    },
  };
}

async function writeBundle(state: ArchiveState, isDeleted: boolean): Promise<string> {
  const { host, incomplete, location, owner, watched, observer, signal, store, work } = state;
  const { client, latest } = watched;
  const observation = await observer.observe({ isDeleted });
  const object = latest.get();
  const facts = await collectBundle({
    ...{
      client,
      observation,
      store,
      signal,
      incomplete,
      driver: { object, isDeleted },
      executors: observer.executors(),
    },
  });
  const { labels = {}, name: podName = "" } = object.metadata ?? {};
  const name = `${labels[appSelectorLabel] ?? podName}.tar.gz`;
  const target = { host, client, location, owner, signal, driver: object, name };
  return storeBundle(target, work, (path) => packBundle(host, facts, { directory: work, path }));
}
