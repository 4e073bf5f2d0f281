import { messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { type ApplicationHistory, type CleanerTimes, evaluateApplication } from "./evaluate-application.ts";
import {
  type RemovalContext,
  removeApplication,
  removeDirectory,
  removedPrefix,
  removeInPlace,
} from "./remove-application.ts";
import { sparkLabels, toApplicationPod, trackDrivers } from "./track-drivers.ts";

/** Options of the cleaner. */
export interface CleanerOptions {
  readonly times: CleanerTimes;
  /** Interval between evaluations of all applications, in ms. */
  readonly cleanEveryMs: number;
  /** Age of directories without a registration that are removed if their application has no pods, in ms. */
  readonly orphanMs: number;
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
}

/** Dependencies of the cleaner. */
export interface CleanerContext extends RemovalContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly limitedLog: ServerLog;
  readonly options: CleanerOptions;
}

/** A running cleaner. */
export interface Cleaner {
  /** Time since the last list or event of driver pods, in ms; `undefined` before the first list. */
  readonly watchAgeMs: () => number | undefined;
  /** Stops after the current evaluation. */
  readonly stop: () => Promise<void>;
}

const orphanEveryMs = 3600_000;

/** Starts to remove the files of applications whose driver has ended or is gone. */
export function startCleaner(context: CleanerContext): Cleaner {
  const { client, clock, options, limitedLog } = context;
  const ending = new AbortController();
  const drivers = trackDrivers({ client, clock, limitedLog, namespace: options.namespace });
  const histories = new Map<string, ApplicationHistory>();
  const running = (async () => {
    let orphansMs = Number.NEGATIVE_INFINITY;
    while (!ending.signal.aborted) {
      await cleanApplications(context, { drivers, histories }).catch((error: unknown) => {
        context.log("ERROR", "The cleanup failed.", { reason: messageOf(error) });
      });
      if (clock.monotonic() - orphansMs >= orphanEveryMs) {
        orphansMs = clock.monotonic();
        await cleanOrphans(context).catch((error: unknown) => {
          context.log("ERROR", "The cleanup of orphaned directories failed.", { reason: messageOf(error) });
        });
      }
      await clock.sleep(options.cleanEveryMs, { signal: ending.signal, background: true });
    }
  })();
  return {
    watchAgeMs: drivers.ageMs,
    async stop() {
      ending.abort();
      await Promise.all([running, drivers.stop()]);
    },
  };
}

interface Evaluation {
  readonly drivers: ReturnType<typeof trackDrivers>;
  readonly histories: Map<string, ApplicationHistory>;
}

async function cleanApplications(context: CleanerContext, { drivers, histories }: Evaluation): Promise<void> {
  const { registrations, options, clock } = context;
  for (const appId of histories.keys()) if (!registrations.applications.has(appId)) histories.delete(appId);
  for (const appId of [...registrations.applications.keys()]) {
    const tracked = drivers.of(appId);
    // Without a driver pod, only a list can prove that the application is gone.
    const listed = tracked.length > 0 ? undefined : await listPods(context, appId);
    const view = { pods: listed ?? tracked, isCompleteList: listed !== undefined, nowMs: clock.monotonic() };
    const { hadDriver = false } = registrations.applications.get(appId) ?? {};
    const decision = evaluateApplication(histories.get(appId) ?? { hadDriver }, view, options.times);
    if (decision.kind === "remove") {
      await removeApplication(context, appId, decision.reason);
      continue;
    }
    histories.set(appId, decision.history);
    if (decision.history.hadDriver && !hadDriver) await storeDriver(context, appId);
  }
}

/** Stores that an application has a driver pod, so that its absence means the same after a restart. */
async function storeDriver(
  { registrations, registrationLog, limitedLog }: CleanerContext,
  appId: string,
): Promise<void> {
  const application = registrations.applications.get(appId);
  if (application !== undefined) application.hadDriver = true;
  try {
    await registrationLog?.setHadDriver(appId);
  } catch (error) {
    limitedLog("WARN", "A driver cannot be stored.", { appId, reason: messageOf(error) });
  }
}

/** A value that a label can have; an application ID with another form has no pods. */
const labelValue = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Lists all pods of an application; `undefined` if this fails. */
async function listPods({ client, options, limitedLog }: CleanerContext, appId: string) {
  if (!labelValue.test(appId)) return undefined;
  const namespace = options.namespace === undefined ? {} : { namespace: options.namespace };
  try {
    const labelSelector = `${sparkLabels.application}=${appId}`;
    const { items } = await client.list<Pod>({ type: resourceTypes.pod, labelSelector, ...namespace });
    return items.map(toApplicationPod);
  } catch (error) {
    limitedLog("WARN", "The pods of an application cannot be listed, so its files are kept.", {
      appId,
      reason: messageOf(error),
    });
    return undefined;
  }
}

/** Application IDs of Spark on Kubernetes. */
const generatedId = /^spark-([0-9a-f]{32}|application-\d+)$/;

/** Removes what a removal left, and old directories of applications that have neither a registration nor pods. */
async function cleanOrphans(context: CleanerContext): Promise<void> {
  const { trees, roots, registrations, options, log } = context;
  for (const root of roots) {
    for (const { name, modifiedMs } of await trees.list(root)) {
      const directory = `${root}/${name}`;
      if (name.startsWith(removedPrefix)) await removeInPlace(context, directory);
      if (!generatedId.test(name) || registrations.applications.has(name)) continue;
      const inside = await trees.list(directory);
      const newestMs = Math.max(modifiedMs, ...inside.map((entry) => entry.modifiedMs));
      if (context.clock.now() - newestMs < options.orphanMs) continue;
      if ((await listPods(context, name))?.length !== 0) continue;
      const { bytes, problem } = await removeDirectory(context, directory);
      const isComplete = problem === undefined;
      context.onRemoved("orphaned", { bytes, isComplete });
      if (isComplete)
        log("INFO", "A directory of an application without pods was removed.", { appId: name, directory, bytes });
    }
  }
}
