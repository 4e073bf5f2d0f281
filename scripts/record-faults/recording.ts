/** Records the pods, events and logs of a namespace over time. */
import { setTimeout } from "node:timers/promises";
import { resourceTypes } from "../../src/kube/resources.ts";
import type { ContainerStatus, Event, KubeResource, Pod } from "../../src/kube/types.ts";
import type { WatchEvent } from "../../src/kube/watch-event.ts";
import { lines } from "../../src/kube-client/lines.ts";
import type { Cluster } from "./cluster.ts";
import type { Condition } from "./scenario.ts";

/** Log of one container. */
export interface RecordedLog {
  readonly pod: string;
  readonly container: string;
  readonly lines: { readonly ms: number; readonly text: string }[];
}

/** One change, in ms after the start. */
export interface RecordedChange {
  readonly ms: number;
  readonly pod?: { readonly object: Pod; readonly isDeleted: boolean };
  readonly event?: Event;
}

export interface Recording {
  readonly changes: readonly RecordedChange[];
  readonly logs: readonly RecordedLog[];
  readonly driver: () => Pod | undefined;
  readonly executors: () => readonly Pod[];
  /** Waits until a condition holds. Returns false after the maximum time. */
  readonly wait: (condition: Condition | undefined, maxMs: number) => Promise<boolean>;
  readonly stop: () => void;
}

const intervalMs = 200;

/** Starts to record a namespace. */
export function startRecording(cluster: Cluster, namespace: string, startedAt: number): Recording {
  const changes: RecordedChange[] = [];
  const logs = new Map<string, RecordedLog>();
  const pods = new Map<string, Pod>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const ms = () => Date.now() - startedAt;
  const follow = async (type: typeof resourceTypes.pod, seen: (change: WatchEvent<KubeResource>) => void) => {
    const known = new Set<string>();
    while (!signal.aborted) {
      try {
        for await (const change of cluster.client.watch({ type, namespace, timeoutSeconds: 600, signal })) {
          const { uid = "", resourceVersion = "" } = change.type === "ERROR" ? {} : change.object.metadata;
          if (known.has(`${uid} ${resourceVersion} ${change.type === "DELETED"}`)) continue;
          known.add(`${uid} ${resourceVersion} ${change.type === "DELETED"}`);
          seen(change);
        }
      } catch {
        if (!signal.aborted) await setTimeout(intervalMs);
      }
    }
  };
  void follow(resourceTypes.pod, (change) => {
    if (change.type === "ERROR" || change.type === "BOOKMARK") return;
    const object: Pod = JSON.parse(JSON.stringify(change.object));
    pods.set(object.metadata?.name ?? "", object);
    changes.push({ ms: ms(), pod: { object, isDeleted: change.type === "DELETED" } });
    for (const status of [
      ...(object.status?.initContainerStatuses ?? []),
      ...(object.status?.containerStatuses ?? []),
    ]) {
      if (change.type !== "DELETED" && hasLog(status)) void readLog(object.metadata?.name ?? "", status);
    }
  });
  void follow(resourceTypes.event, (change) => {
    if (change.type === "ADDED" || change.type === "MODIFIED")
      changes.push({ ms: ms(), event: JSON.parse(JSON.stringify(change.object)) });
  });

  const readLog = async (pod: string, { name, restartCount }: ContainerStatus) => {
    const key = `${pod}/${name}/${restartCount}`;
    if (logs.has(key)) return;
    const log: RecordedLog = { pod, container: name, lines: [] };
    logs.set(key, log);
    const chunks = cluster.client.logs({ namespace, pod, container: name, follow: true, timestamps: true, signal });
    try {
      for await (const { bytes } of lines(chunks, 65_536)) {
        const [, time = "", line = ""] = /^(\S+) ?(.*)$/s.exec(bytes.toString("utf8")) ?? [];
        log.lines.push({ ms: Date.parse(time) - startedAt, text: line });
      }
    } catch {
      // The pod was deleted, or the recording ended.
    }
  };

  const withRole = (role: string) =>
    [...pods.values()].filter(({ metadata }) => metadata?.labels?.["spark-role"] === role);
  const driver = () => withRole("driver")[0];
  const holds = (condition: Condition | undefined, waitedMs: number) => {
    if (condition === undefined) return ["Succeeded", "Failed"].includes(driver()?.status?.phase ?? "");
    const { log, executorLog, event, executors: count, ms: minMs = 0 } = condition;
    const name = driver()?.metadata?.name;
    const hasLine = (pattern: string | undefined, isOfDriver: boolean) =>
      pattern === undefined ||
      [...logs.values()].some(
        ({ pod, lines }) => (pod === name) === isOfDriver && lines.some(({ text }) => new RegExp(pattern).test(text)),
      );
    const hasEvent = (pattern: string) =>
      changes.some((change) => new RegExp(pattern).test(`${change.event?.reason} ${change.event?.message}`));
    const running = withRole("executor").filter(({ status }) => status?.phase === "Running").length;
    return (
      waitedMs >= minMs &&
      hasLine(log, true) &&
      hasLine(executorLog, false) &&
      (event === undefined || hasEvent(event)) &&
      running >= (count ?? 0)
    );
  };
  return {
    changes,
    get logs() {
      return [...logs.values()];
    },
    driver,
    executors: () => withRole("executor"),
    async wait(condition, maxMs) {
      const from = Date.now();
      while (!holds(condition, Date.now() - from)) {
        if (Date.now() - from >= maxMs) return false;
        await setTimeout(intervalMs);
      }
      return true;
    },
    stop: () => stopping.abort(),
  };
}

function hasLog({ state = {} }: ContainerStatus): boolean {
  return state.running !== undefined || state.terminated !== undefined;
}
