import type { Pod } from "../../kube/types.ts";
import { driverStatus } from "./driver-end.ts";

/** Why a driver does not begin. */
export interface DriverTrouble {
  /** As Kubernetes names it, e.g. `ErrImagePull`, `Unschedulable`. */
  readonly reason: string;
  readonly message: string;
}

// The kubelet keeps trying after each of them, so the pod's phase stays Pending. Source: Kubernetes 1.35, kubelet.
const waitingReasons = [
  "CreateContainerConfigError",
  "CreateContainerError",
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "RunContainerError",
];

/** What stands in a driver's way, as far as its pod tells; `undefined` when nothing does. */
export function driverTrouble({ status }: Pod, container: string): DriverTrouble | undefined {
  const { conditions = [], containerStatuses = [] } = status ?? {};
  const waiting = driverStatus(containerStatuses, container)?.state?.waiting;
  const { reason = "", message = "" } = waiting ?? {};
  if (waitingReasons.includes(reason)) return { reason, message };
  const scheduling = conditions.find((condition) => condition.reason === "Unschedulable");
  return scheduling && { reason: "Unschedulable", message: scheduling.message ?? "" };
}
