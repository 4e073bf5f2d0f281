import type { RestartPolicy } from "../application.ts";

/** State of an application; empty for a new one. */
export type ApplicationState =
  | ""
  | "SUBMITTED"
  | "SUBMISSION_FAILED"
  | "RUNNING"
  | "SUCCEEDING"
  | "COMPLETED"
  | "FAILING"
  | "FAILED"
  | "PENDING_RERUN"
  | "INVALIDATING"
  | "SUSPENDING"
  | "SUSPENDED"
  | "RESUMING"
  | "UNKNOWN";

/** State of an executor, by the phase of its pod. */
export type ExecutorState = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "UNKNOWN";

/** Status of an application. Times are in ms since 1970. */
export interface ApplicationStatus {
  readonly state: ApplicationState;
  readonly errorMessage?: string | undefined;
  readonly submissionAttempts: number;
  readonly executionAttempts: number;
  readonly lastSubmissionMs?: number | undefined;
  readonly terminationMs?: number | undefined;
  /** By the name of the pod. */
  readonly executors: Readonly<Record<string, ExecutorState>>;
}

/** Status of a new application. */
export const newStatus: ApplicationStatus = {
  state: "",
  submissionAttempts: 0,
  executionAttempts: 0,
  executors: {},
};

/** Fields of an application that determine its state. */
export interface LifetimeFields {
  /** With defaults. */
  readonly restartPolicy?: RestartPolicy;
  readonly suspend?: boolean;
  readonly timeToLiveSeconds?: number;
}

/** The driver's pod. */
export interface ObservedDriver {
  readonly phase: string;
  /** End of Spark's container; `undefined` while it runs, or without a container status. */
  readonly terminated?: { readonly exitCode: number; readonly reason: string } | undefined;
  /** Time of its end, in ms since 1970, if the pod records it. @default the time of the observation */
  readonly endedMs?: number | undefined;
}

/** Pods of an application at the time of a call. */
export interface Observation {
  readonly nowMs: number;
  /** `undefined` if there is no pod. */
  readonly driver: ObservedDriver | undefined;
  /** Phases of the executors' pods, by name. @default there are none */
  readonly executors?: Readonly<Record<string, string>>;
}

/** Event of an application, with the operator's reason. */
export interface ApplicationEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
}

/** Decision about an application. */
export interface Decision {
  readonly status: ApplicationStatus;
  /**
   * `submit`: submit, then call `afterSubmission`. `deleteDriver`: delete the driver's pod with the Service and the Ingress of its UI.
   * `deleteApplication`: delete everything that it owns.
   */
  readonly action: "none" | "submit" | "deleteDriver" | "deleteApplication";
  readonly events: readonly ApplicationEvent[];
  /** Time until the next decision without a change; `undefined` if only a change can lead to one. */
  readonly againAfterMs?: number | undefined;
}

/** Whether an application has ended. */
export function hasEnded({ state }: Pick<ApplicationStatus, "state">): boolean {
  return state === "COMPLETED" || state === "FAILED";
}
