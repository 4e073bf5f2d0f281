import type { Clock } from "../../host/host.ts";
import type { ApplicationRecord } from "../model/application.ts";

type RemovedPod = Pick<ApplicationRecord, "namespace" | "podName">;

/** Pods that must not run, because their applications were removed. */
export interface RemovedPods {
  readonly add: (pod: RemovedPod) => void;
  readonly has: (pod: RemovedPod) => boolean;
}

/** Time for which a pod is known, which limits their number. Requests take less, except those of a suspended machine. */
const keepMs = 3_600_000;

/** Creates an empty set of pods, each of which is forgotten after an hour. */
export function removedPods(clock: Pick<Clock, "monotonic">): RemovedPods {
  /** When each pod was added, in this order. */
  const added = new Map<string, number>();
  const forget = () => {
    for (const [id, atMs] of added) {
      if (clock.monotonic() - atMs < keepMs) return;
      added.delete(id);
    }
  };
  const idOf = ({ namespace, podName }: RemovedPod) => `${namespace}/${podName}`;
  return {
    add(pod) {
      forget();
      added.set(idOf(pod), clock.monotonic());
    },
    has(pod) {
      forget();
      return added.has(idOf(pod));
    },
  };
}
