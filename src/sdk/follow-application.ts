import { appKillPodDeletionGracePeriod } from "../conf/entries/watching.ts";
import { messageOf } from "../errors/message-of.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { Pod } from "../kube/types.ts";
import { summarizeApplication } from "../masters/kubernetes/applications/application-summary.ts";
import { applicationEvents } from "../masters/kubernetes/diagnose/application-events.ts";
import { fetchPod } from "../masters/kubernetes/watch/fetch-pod.ts";
import type { OpenClient } from "../masters/master-strategy.ts";
import { operate } from "../masters/operate.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { appNameLabelKey, appSelectorLabel } from "../plan/labels.ts";
import { hasUploads } from "../plan/uploads-annotation.ts";
import type { Application, ApplicationStatus, KillOptions } from "./application.ts";
import { outcomeOf } from "./application-outcome.ts";
import type { Cluster } from "./clusters.ts";
import { driverLog } from "./driver-log.ts";
import { type DriverState, followDriver } from "./driver-state.ts";
import { reduceDriver } from "./driver-watch.ts";
import { toFiresteelError, withFiresteelErrors } from "./firesteel-error.ts";

/** An existing driver, its cluster, and the settings with which it was found. */
export interface FollowCall {
  readonly host: Host;
  readonly log: Log;
  readonly cluster: Cluster;
  readonly pod: Pod;
  /** Name as submitted; the label of a pod can be shortened. @default the label */
  readonly appName?: string | undefined;
  readonly commandLine: CommandLineSettings;
  /** Opens a client for an operation of its own. */
  readonly openClient: OpenClient;
  /** Removes the files that were uploaded for the driver, after its end. */
  readonly removeUploads: (pod: Pod) => Promise<void>;
  /** Follows the driver until its end, and then archives the application if its settings say so. Does not throw. */
  readonly archive: (pod: Pod, signal: AbortSignal) => Promise<void>;
}

/** An application that is followed; `onEnd` is called when it is no longer followed. */
export function followApplication({ pod: created, ...rest }: FollowCall, onEnd: () => void): Application {
  // Thousands of complete pods would take much memory.
  const pod = hasUploads(created) ? created : reduceDriver(created);
  const call = { ...rest, pod };
  const { host, log, cluster, appName } = call;
  const { namespace = "", name: podName = "", labels = {} } = pod.metadata ?? {};
  const driver = followDriver(cluster.watch(namespace), pod, onEnd);
  const { client } = cluster;
  const { clock, random } = host;
  const read = { client, clock, random, log };
  const archived = call.archive(created, driver.closed);
  let removal: Promise<void> | undefined;
  const removeUploadsOnce = () => {
    // A failed removal is not a failure of the application, whose outcome the caller waits for.
    removal ??= (hasUploads(pod) ? call.removeUploads(pod) : Promise.resolve()).catch((error: unknown) =>
      log("WARN", "Uploads", `The uploads of ${podName} could not be removed: ${messageOf(error)}`),
    );
    return removal;
  };
  return {
    id: `${namespace}:${podName}`,
    namespace,
    podName,
    appId: labels[appSelectorLabel] ?? "",
    appName: appName ?? labels[appNameLabelKey] ?? podName,
    get state() {
      return driver.state();
    },
    wait: ({ signal, diagnose = true } = {}) =>
      withFiresteelErrors(signal, async () => {
        await driver.untilEnd(signal);
        await removeUploadsOnce();
        await unlessAborted(archived, signal);
        const outcome = outcomeOf(driver.latest.get(), undefined);
        if (outcome.state === "succeeded" || !diagnose) return outcome;
        return { ...outcome, diagnosis: await findProblem(call, driver, signal).catch(() => undefined) };
      }),
    logs: (options = {}) => typedLines(driverLog({ ...read, ...driver }, options)),
    events: ({ signal } = {}) => withFiresteelErrors(signal, () => applicationEvents(client, pod)),
    diagnose: ({ signal } = {}) => withFiresteelErrors(signal, () => findProblem(call, driver, signal)),
    status: ({ signal } = {}) => withFiresteelErrors(signal, () => readStatus(call, driver)),
    kill: (options = {}) => withFiresteelErrors(options.signal, () => kill(call, options)),
    close: driver.close,
    [Symbol.asyncDispose]: async () => driver.close(),
  };
}

async function* typedLines(lines: AsyncGenerator<string, void, undefined>) {
  try {
    yield* lines;
  } catch (error) {
    throw toFiresteelError(error);
  }
}

/** Waits for a promise that does not reject. @throws the reason of an aborted signal */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  const done = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true, signal: done.signal });
  });
  await Promise.race([promise, aborted]);
  done.abort();
  signal.throwIfAborted();
}

/** Reads the complete pod, whose volumes can explain a problem. */
async function findProblem({ host, log, cluster, pod }: FollowCall, driver: DriverState, signal?: AbortSignal) {
  const { observeDriver } = await import("../masters/kubernetes/diagnose-driver.ts");
  const { clock, random } = host;
  const current = await fetchPod(cluster.client, pod);
  driver.set(current);
  const last = { ...pod, status: driver.latest.get().status ?? {} };
  return observeDriver({
    ...{ client: cluster.client, clock, random, log, signal },
    ...{ pod: current ?? last, isDeleted: current === undefined },
  });
}

async function readStatus({ cluster, pod }: FollowCall, driver: DriverState): Promise<ApplicationStatus> {
  driver.set(await fetchPod(cluster.client, pod));
  return { ...summarizeApplication(driver.latest.get()), state: driver.state() };
}

/** Kills the driver as `spark-submit --kill` does. */
async function kill({ host, openClient, commandLine, pod }: FollowCall, options: KillOptions): Promise<boolean> {
  const { gracePeriodSeconds } = options;
  const { namespace, name } = pod.metadata ?? {};
  const { key } = appKillPodDeletionGracePeriod;
  const grace = { key, value: `${gracePeriodSeconds}s`, origin: { kind: "conf" } } as const;
  const others = commandLine.settings.filter((setting) => setting.key !== key);
  const settings = gracePeriodSeconds === undefined ? commandLine.settings : [...others, grace];
  const submissionId = `${namespace}:${name}`;
  const { fields, propertiesFile, extraPropertiesFiles, loadsDefaults } = commandLine;
  const source = { fields, propertiesFile, extraPropertiesFiles, loadsDefaults, supervise: false, verbose: false };
  const { isFound } = await operate({
    ...{ host, openClient, usesKubeconfig: true },
    invocation: { ...source, settings, action: "kill", submissionId },
  });
  return isFound;
}
