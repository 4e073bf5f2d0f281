import type { Behaviors } from "../../conf/behaviors.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { Issue } from "../../errors/issue.ts";
import type { DriverOutcome } from "./monitor/monitor-driver.ts";

/** Outcome of a submission that was not rejected. */
export type KubernetesOutcome = Submitted & {
  /** Cause of a failure, if a rule knows it. */
  readonly diagnosis?: Diagnosis | undefined;
  readonly end:
    | DriverOutcome
    /** The settings say not to wait for the driver. */
    | { readonly kind: "notAwaited" }
    /** A signal stopped the submission before the driver existed. */
    | {
        readonly kind: "interrupted";
        readonly signal: "SIGINT" | "SIGTERM";
        readonly driver: "rolledBack";
        /** Objects that could not be deleted. */
        readonly left: readonly Issue[];
      };
};

/** Identity of a submission. */
export interface Submitted {
  /** Value of `--master`, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  readonly appName: string;
  readonly appId: string;
  readonly namespace: string;
  readonly podName: string;
  readonly behaviors: Behaviors;
}
