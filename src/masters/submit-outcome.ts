import type { Behaviors } from "../conf/behaviors.ts";
import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import type { Issue } from "../errors/issue.ts";
import type { Pod } from "../kube/types.ts";

/**
 * Outcome of a submission that was not rejected.
 *
 * @example
 * ```ts
 * const isOnKubernetes = (outcome: SubmitOutcome) => outcome.podName !== undefined;
 * ```
 */
export type SubmitOutcome = KubernetesOutcome | ExitOutcome;

/**
 * Outcome of a submission whose cluster manager reports an exit code instead of a driver pod.
 *
 * @example
 * ```ts
 * const exitCodeOf = ({ end }: ExitOutcome) => end.exitCode;
 * ```
 */
export interface ExitOutcome {
  readonly end: { readonly kind: "exited"; readonly exitCode: number };
  readonly podName?: undefined;
  readonly namespace?: undefined;
}

/** Wraps an exit code as an outcome. */
export function exitOutcome(exitCode: number): ExitOutcome {
  return { end: { kind: "exited", exitCode } };
}

/**
 * Outcome of a submission to Kubernetes.
 *
 * @example
 * ```ts
 * const idOf = ({ namespace, podName }: KubernetesOutcome) => `${namespace}:${podName}`;
 * ```
 */
export type KubernetesOutcome = Submitted & {
  /** Cause of a failure, if a rule knows it. */
  readonly diagnosis?: Diagnosis | undefined;
  /** `notAwaited`: the settings say not to wait for the driver, whose created pod this is. */
  readonly end: DriverOutcome | { readonly kind: "notAwaited"; readonly pod: Pod };
};

/** Identity of a submission to Kubernetes. */
export interface Submitted {
  /** Value of `--master`, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  /** Context of the kubeconfig that the settings name. */
  readonly context?: string | undefined;
  readonly appName: string;
  readonly appId: string;
  readonly namespace: string;
  readonly podName: string;
  readonly behaviors: Behaviors;
}

/** Outcome of the wait for a driver pod. */
export type DriverOutcome =
  | DriverEnd
  /** Firesteel deleted the driver, or tried to. */
  | ({ readonly kind: "terminated"; readonly pod: Pod } & Termination)
  /** The user interrupted the wait. `rolledBack`: before the driver existed. */
  | {
      readonly kind: "interrupted";
      readonly signal: "SIGINT" | "SIGTERM";
      readonly driver: "deleted" | "running" | "rolledBack";
      /** Issues of a rejected deletion, or of objects that could not be deleted. */
      readonly left: readonly Issue[];
    };

/**
 * End of a driver, derived from its pod.
 *
 * @example
 * ```ts
 * const hasSucceeded = ({ kind }: DriverEnd) => kind === "succeeded";
 * ```
 */
export type DriverEnd =
  | { readonly kind: "succeeded"; readonly pod: Pod }
  | {
      readonly kind: "failed";
      readonly pod: Pod;
      /** Exit code of the driver's container; `undefined` if it never ran, for example after an eviction. */
      readonly exitCode: number | undefined;
      /** For example `OOMKilled`, `Error`, `Evicted`. */
      readonly reason: string | undefined;
      readonly message: string | undefined;
    }
  /** `deleted`: before it ended; `unknown`: the wait stopped first. `pod` is the last known state. */
  | { readonly kind: "deleted" | "unknown"; readonly pod: Pod };

/** Deletion of a driver by Firesteel. The driver is still running if the API rejected the deletion. */
export interface Termination {
  readonly why: TerminationReason;
  readonly driver: "deleted" | "running";
  /** Issues of the rejected deletion. */
  readonly left: readonly Issue[];
}

/** Reason of a deletion by Firesteel. `unrecoverable`: the driver will not start until the user changes something. */
export type TerminationReason =
  | { readonly kind: "startTimeout" | "runTimeout"; readonly limitMs: number }
  | { readonly kind: "unrecoverable" };
