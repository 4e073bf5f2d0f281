import { type Attachments, attachments } from "./attachments.ts";
import { type ContainerLogs, containerLogs } from "./container-logs.ts";
import { type ImagePulls, imagePulls } from "./image-pulls.ts";
import type { NodeContext } from "./node-context.ts";
import type { PodEvent } from "./pod-events.ts";
import type { PodFacts } from "./pod-fields.ts";
import type { PodRuntimeState } from "./pod-runtime-state.ts";
import { podStatus } from "./pod-status.ts";
import { podTokens } from "./pod-tokens.ts";
import { type RunningContainers, runningContainers } from "./running-containers.ts";
import { isPod, type StoredPod } from "./stored-object.ts";
import { type PodVolumes, podVolumes } from "./volumes.ts";

/** State that the node keeps for a pod while it runs it. */
export interface PodWorkerState {
  readonly context: NodeContext;
  /** Latest version of the object. */
  pod: StoredPod;
  runtime: PodRuntimeState;
  /** Address of the pod; `undefined` until it has one. */
  address: string | undefined;
  /** Containers that were killed as if they had exceeded their memory limit. */
  readonly oomKilled: Set<string>;
  /** Whether the object has been deleted. */
  isRemoved: boolean;
  /** Directory of this pod alone. */
  readonly directory: string;
  readonly hostsFile: string;
  readonly volumes: PodVolumes;
  readonly logs: ContainerLogs;
  readonly pulls: ImagePulls;
  readonly running: RunningContainers;
  readonly attachments: Attachments;
  readonly facts: () => PodFacts;
  readonly record: (event: PodEvent) => void;
  /** Writes the pod's status. */
  readonly publish: () => void;
  /** Schedules a sync of the pod. */
  readonly requestSync: () => void;
}

/** Creates the state of a pod's worker. Nothing runs yet. */
export function createPodWorkerState(
  context: NodeContext,
  pod: StoredPod,
  { runtime: initial, requestSync }: Pick<PodWorkerState, "runtime" | "requestSync">,
): PodWorkerState {
  const { host, store } = context;
  const { uid, name, namespace } = pod.metadata;
  const directory = `${context.directory}/${uid}`;
  const facts: PodWorkerState["facts"] = () => ({
    pod: workerState.pod,
    address: workerState.address ?? "",
    hostAddress: context.api.address,
    allocatable: context.allocatable,
  });
  const workerState: PodWorkerState = {
    ...{ context, pod, directory, facts, requestSync },
    runtime: initial,
    address: undefined,
    isRemoved: false,
    oomKilled: new Set(),
    hostsFile: `${directory}/hosts`,
    logs: containerLogs(host, `${directory}/logs`),
    pulls: imagePulls(context.images, host.clock.now),
    running: runningContainers(host, requestSync),
    attachments: attachments(),
    volumes: podVolumes({
      ...{ context, pod, facts, tokenFor: podTokens(context, pod), directory: `${directory}/volumes` },
      memoryDirectory: `${context.memoryDirectory}/${uid}`,
    }),
    record(event) {
      if (!context.link.isDisconnected) context.events.record(workerState.pod, event);
    },
    publish() {
      if (context.link.isDisconnected) return;
      store.update("pods", namespace, name, (current) => {
        if (current.metadata.uid !== uid || !isPod(current)) return current;
        const { runtime, address } = workerState;
        const now = host.clock.now();
        const status = podStatus(current, runtime, { hostAddress: context.api.address, address, now });
        return { ...current, status };
      });
    },
  };
  return workerState;
}

/** Returns the field path of a container in its pod's spec, as events name it: `spec.containers{a}`. */
export function fieldPathOf({ spec }: StoredPod, container: string): string {
  const isInit = spec.initContainers?.some(({ name }) => name === container) === true;
  return `spec.${isInit ? "initContainers" : "containers"}{${container}}`;
}
