import { isFinalPhase } from "../../kube/pod-phase.ts";

/** A pod of an application. */
export interface ApplicationPod {
  readonly role: "driver" | "executor";
  /** Phase of the pod; `Unknown` if its node is lost. */
  readonly phase: string;
}

/** State of an application at the earlier evaluations. */
export interface ApplicationHistory {
  /** Whether its driver pod has been seen. An application in client mode has none. */
  readonly hadDriver: boolean;
  /** Time of the first evaluation at which the driver had ended, in ms. */
  readonly endedSinceMs?: number | undefined;
  /** Time of the first complete list without pods, in ms. */
  readonly absentSinceMs?: number | undefined;
}

/** Retention times in ms. */
export interface CleanerTimes {
  /** Retention after the driver pod has ended. */
  readonly retentionMs: number;
  /** Least time between two complete lists without pods. */
  readonly absenceMs: number;
  /** The same for applications whose driver pod was never seen: their driver may run outside of the cluster without executors. */
  readonly clientModeMs: number;
}

/** Decision about the files of an application. */
export type CleanerDecision =
  | { readonly kind: "keep"; readonly history: ApplicationHistory }
  | { readonly kind: "remove"; readonly reason: RemovalReason };

/** Reason for a removal. */
export type RemovalReason = "driverEnded" | "driverGone" | "podsGone";

/** Pods of an application, as known now. */
interface ApplicationView {
  readonly pods: readonly ApplicationPod[];
  /** Whether the pods are those of a list that succeeded now. Absence is concluded from nothing else. */
  readonly isCompleteList: boolean;
  readonly nowMs: number;
}

/** Decides whether the files of an application can be removed. */
export function evaluateApplication(
  history: ApplicationHistory,
  { pods, isCompleteList, nowMs }: ApplicationView,
  times: CleanerTimes,
): CleanerDecision {
  const drivers = pods.filter(({ role }) => role === "driver");
  const hadDriver = history.hadDriver || drivers.length > 0;
  const isRunning = ({ phase }: ApplicationPod) => !isFinalPhase(phase);
  if (drivers.some(isRunning)) return { kind: "keep", history: { hadDriver } };
  if (drivers.length > 0) {
    const endedSinceMs = history.endedSinceMs ?? nowMs;
    if (nowMs - endedSinceMs >= times.retentionMs) return { kind: "remove", reason: "driverEnded" };
    return { kind: "keep", history: { hadDriver, endedSinceMs } };
  }
  if (pods.some(isRunning)) return { kind: "keep", history: { hadDriver } };
  if (!isCompleteList) return { kind: "keep", history: { ...history, hadDriver } };
  const absentSinceMs = history.absentSinceMs ?? nowMs;
  const requiredMs = hadDriver ? times.absenceMs : times.clientModeMs;
  if (history.absentSinceMs !== undefined && nowMs - absentSinceMs >= requiredMs) {
    return { kind: "remove", reason: hadDriver ? "driverGone" : "podsGone" };
  }
  return { kind: "keep", history: { hadDriver, absentSinceMs } };
}
