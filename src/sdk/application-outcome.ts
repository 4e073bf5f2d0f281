import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import type { Pod } from "../kube/types.ts";
import { driverContainerOf, driverEnd } from "../masters/kubernetes/watch/driver-end.ts";

/**
 * End of an application.
 *
 * @example
 * ```ts
 * const describe = ({ state, exitCode, reason }: ApplicationOutcome) => `${state}: exit code ${exitCode}, ${reason}`;
 * ```
 */
export interface ApplicationOutcome {
  /** `deleted`: the pod was deleted before the driver ended. */
  readonly state: "succeeded" | "failed" | "deleted";
  /** Exit code of the driver's container; `undefined` if it never ran or its pod was deleted. */
  readonly exitCode: number | undefined;
  /** Reason of a failure, e.g. `OOMKilled`, `Error`, `Evicted`. */
  readonly reason: string | undefined;
  /** Message of the cluster about a failure. */
  readonly message: string | undefined;
  /**
   * `infrastructure`: the cluster ended the driver, for example because its node was lost or drained, so the same application can
   * succeed. `application`: it failed by itself, or exceeded a limit of its own. `undefined`: it succeeded, or was deleted.
   */
  readonly failedBy: "application" | "infrastructure" | undefined;
  /** Cause of a failure, if a rule knows it. */
  readonly diagnosis: Diagnosis | undefined;
}

/**
 * Reasons of pods that the kubelet or the control plane ended or rejected.
 *
 * Source: Kubernetes 1.33, pkg/kubelet (eviction, nodeshutdown, lifecycle, preemption) and pkg/controller/podgc.
 */
const clusterReasons =
  /^(Evicted|NodeLost|NodeShutdown|Terminated|Preempting|NodeAffinity|UnexpectedAdmissionError|OutOf\w+)$/;

/** Message of an eviction because the pod used more than its own limit of local storage. */
const ownLimit = /exceeds the (total )?limit|exceeded its local ephemeral storage limit/i;

/** Returns the outcome of a driver that has ended, or whose pod is deleted. */
export function outcomeOf(pod: Pod, diagnosis: Diagnosis | undefined): ApplicationOutcome {
  const end = driverEnd(pod, driverContainerOf(pod));
  switch (end?.kind) {
    case "succeeded":
      return { ...nothing, state: "succeeded", exitCode: 0 };
    case "failed": {
      const { exitCode, reason, message } = end;
      const failedBy = isDisrupted(pod) ? "infrastructure" : "application";
      return { state: "failed", exitCode, reason, message, failedBy, diagnosis };
    }
    default:
      return { ...nothing, state: "deleted", failedBy: isDisrupted(pod) ? "infrastructure" : undefined, diagnosis };
  }
}

const nothing = {
  exitCode: undefined,
  reason: undefined,
  message: undefined,
  failedBy: undefined,
  diagnosis: undefined,
};

/** Returns whether the cluster ended a pod. Source: Kubernetes, pod condition DisruptionTarget (since 1.26). */
function isDisrupted({ status = {} }: Pod): boolean {
  const { reason = "", message = "", conditions = [] } = status;
  if (ownLimit.test(message)) return false;
  const isTarget = conditions.some(({ type, status: met }) => type === "DisruptionTarget" && met === "True");
  return isTarget || clusterReasons.test(reason);
}
