import type { Behaviors } from "../../conf/behaviors.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { Issue } from "../../errors/issue.ts";
import type { DriverOutcome } from "./monitor/monitor-driver.ts";

/** How a submission went, as far as it was not refused. */
export type KubernetesOutcome = Submitted & {
  /** Why it went badly, as far as a reason was found. */
  readonly diagnosis?: Diagnosis | undefined;
  readonly end:
    | DriverOutcome
    /** Nobody waits for the driver. */
    | { readonly kind: "notAwaited" }
    /** We were told to stop before there was a driver. */
    | {
        readonly kind: "interrupted";
        readonly signal: "SIGINT" | "SIGTERM";
        readonly driver: "takenBack";
        /** What could not be taken back. */
        readonly left: readonly Issue[];
      };
};

/** What was submitted. */
export interface Submitted {
  /** As an option `--master` names the cluster, e.g. `k8s://https://10.0.0.1:6443`. */
  readonly master: string;
  readonly appName: string;
  readonly appId: string;
  readonly namespace: string;
  readonly podName: string;
  readonly behaviors: Behaviors;
}
