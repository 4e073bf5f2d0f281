import { messageOf } from "../errors/message-of.ts";
import type { Clock, Random } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { unrepeatedLog } from "../kube-client/unrepeated-log.ts";
import { startInformer, type TrackedObject } from "../masters/kubernetes/diagnose/informer.ts";
import { driverContainerOf } from "../masters/kubernetes/watch/driver-end.ts";
import { roleLabel } from "../plan/labels.ts";

/** Receiver of the states of drivers. */
export interface DriverFollower {
  /** Called with each state; the last known one if the pod does not exist any more. */
  readonly onDriver: (driver: TrackedObject<Pod>) => void;
  /** Called once if the account may not read the drivers; then no state follows. */
  readonly onDenied: (error: unknown) => void;
}

/** Drivers of one namespace, or of all, that one watch keeps current while they have followers. */
export interface DriverWatch {
  /** Follows one driver from its last known state. @returns a function that ends it */
  readonly follow: (pod: Pod, follower: DriverFollower) => () => void;
  /** Follows all drivers, from those that exist. @returns a function that ends it */
  readonly followAll: (follower: DriverFollower) => () => void;
  /** Ends the watch. */
  readonly close: () => void;
}

interface DriverWatchCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
}

/** A running watch. */
interface Run {
  /** Existing drivers by UID. */
  readonly drivers: Map<string, TrackedObject<Pod>>;
  readonly stop: () => void;
}

interface Followed {
  readonly pod: Pod;
  readonly followers: Set<DriverFollower>;
}

interface State {
  readonly call: DriverWatchCall;
  /** By UID of the pod. */
  readonly followed: Map<string, Followed>;
  readonly ofAll: Set<DriverFollower>;
  run: Run | undefined;
}

/** Creates a watch, which begins with its first follower and ends with its last. */
export function driverWatch(call: DriverWatchCall): DriverWatch {
  const state: State = { call, followed: new Map(), ofAll: new Set(), run: undefined };
  return {
    follow(pod, follower) {
      const uid = uidOf(pod);
      const entry = state.followed.get(uid) ?? { pod, followers: new Set() };
      state.followed.set(uid, entry);
      entry.followers.add(follower);
      const known = ensureRun(state).drivers.get(uid);
      if (known !== undefined) follower.onDriver(known);
      return () => {
        entry.followers.delete(follower);
        if (entry.followers.size === 0) state.followed.delete(uid);
        endIfUnused(state);
      };
    },
    followAll(follower) {
      state.ofAll.add(follower);
      for (const driver of ensureRun(state).drivers.values()) follower.onDriver(driver);
      return () => {
        state.ofAll.delete(follower);
        endIfUnused(state);
      };
    },
    close() {
      state.run?.stop();
      state.run = undefined;
    },
  };
}

function ensureRun(state: State): Run {
  state.run ??= start(state);
  return state.run;
}

function endIfUnused(state: State): void {
  if (state.followed.size > 0 || state.ofAll.size > 0) return;
  state.run?.stop();
  state.run = undefined;
}

function start(state: State): Run {
  const { client, clock, random, log, namespace } = state.call;
  const stopped = new AbortController();
  const run: Run = { drivers: new Map(), stop: () => stopped.abort() };
  const failures = unrepeatedLog(log, clock);
  let expected: readonly string[] = [];
  const informer = startInformer<Pod>({
    ...{ client: client.withoutRetries(), clock, random, type: resourceTypes.pod },
    ...(namespace !== undefined && { namespace }),
    labelSelector: `${roleLabel}=driver`,
    transform: reduceDriver,
    signal: stopped.signal,
    onListStart() {
      expected = [...state.followed.keys()];
    },
    // A followed driver that exists in no list was deleted while there was no watch.
    onListEnd() {
      for (const uid of expected) {
        const entry = state.followed.get(uid);
        if (entry !== undefined && !run.drivers.has(uid)) report(state, { object: entry.pod, isDeleted: true });
      }
    },
    onFailure: (error) => failures("WARN", "Watch", `The watch of drivers is interrupted: ${messageOf(error)}`),
    onDenied: (error) => onDenied(state, run, error),
  });
  informer.onChange((driver) => {
    const uid = uidOf(driver.object);
    if (driver.isDeleted) run.drivers.delete(uid);
    else run.drivers.set(uid, driver);
    report(state, driver);
  });
  return run;
}

function report({ followed, ofAll }: State, driver: TrackedObject<Pod>): void {
  const own = followed.get(uidOf(driver.object))?.followers ?? [];
  for (const { onDriver } of [...own, ...ofAll]) onDriver(driver);
}

function onDenied(state: State, run: Run, error: unknown): void {
  const followers = [...[...state.followed.values()].flatMap((entry) => [...entry.followers]), ...state.ofAll];
  // A later follower starts a new watch: permissions can change.
  if (state.run === run) state.run = undefined;
  for (const follower of followers) follower.onDenied(error);
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? "";
}

/** Keeps what describes an application: thousands of complete pods would take much memory. */
export function reduceDriver(pod: Pod): Pod {
  const { managedFields: _, annotations: __, ...metadata } = pod.metadata ?? {};
  const container = pod.spec?.containers.find(({ name }) => name === driverContainerOf(pod));
  const { name = "", ports = [], env = [] } = container ?? {};
  const user = env.filter((variable) => variable.name === "SPARK_USER");
  const { nodeName } = pod.spec ?? {};
  const spec = { containers: [{ name, ports, env: user }], ...(nodeName !== undefined && { nodeName }) };
  return { metadata, spec, ...(pod.status !== undefined && { status: pod.status }) };
}
