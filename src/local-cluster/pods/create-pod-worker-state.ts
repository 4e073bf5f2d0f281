import { attachments } from "./attachments.ts";
import { containerLogs } from "./container-logs.ts";
import { imagePulls } from "./image-pulls.ts";
import type { NodeContext } from "./node-context.ts";
import { podStatus } from "./pod-status.ts";
import { podTokens } from "./pod-tokens.ts";
import type { PodWorkerState } from "./pod-worker-state.ts";
import { runningContainers } from "./running-containers.ts";
import { isPod, type StoredPod } from "./stored-object.ts";
import { podVolumes } from "./volumes.ts";

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
      ...{ host, store, pod, facts },
      directory: `${directory}/volumes`,
      memoryDirectory: `${context.memoryDirectory}/${uid}`,
      claims: context.claims,
      hostPathRoots: context.hostPathRoots,
      isFake: context.isFake,
      tokenFor: podTokens(context, pod),
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
