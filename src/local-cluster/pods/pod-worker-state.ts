import type { Attachments } from "./attachments.ts";
import type { ContainerLogs } from "./container-logs.ts";
import type { ImagePulls } from "./image-pulls.ts";
import type { NodeContext } from "./node-context.ts";
import type { PodEvent } from "./pod-events.ts";
import type { PodFacts } from "./pod-fields.ts";
import type { PodRuntimeState } from "./pod-runtime-state.ts";
import type { RunningContainers } from "./running-containers.ts";
import type { StoredPod } from "./stored-object.ts";
import type { PodVolumes } from "./volumes.ts";

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

/** Returns the field path of a container in its pod's spec, as events name it: `spec.containers{a}`. */
export function fieldPathOf({ spec }: StoredPod, container: string): string {
  const isInit = spec.initContainers?.some(({ name }) => name === container) === true;
  return `spec.${isInit ? "initContainers" : "containers"}{${container}}`;
}
