import type { ResolvedSubmission } from "../resolve/resolve-settings.ts";
import type { OperationOutcome, ResolvedOperation } from "./kubernetes/operations/operate.ts";

/** How submissions are made to one kind of master, other than Kubernetes in cluster mode. */
export interface MasterStrategy {
  /**
   * Submits what is understood and not told yet (`printFrontEndOutput`), and waits where that is wanted: gives the exit
   * code. Problems of values are in `issues`, and not thrown yet.
   *
   * @throws SubmitError when it is refused by us or by the master
   */
  readonly submit: (submission: ResolvedSubmission) => Promise<number>;
  /**
   * Does a `--kill` or `--status`. @default Spark has no such operation there
   *
   * @throws SubmitError
   */
  readonly operate?: (operation: ResolvedOperation) => Promise<OperationOutcome>;
}
