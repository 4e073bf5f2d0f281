import type { Behaviors } from "../../conf/behaviors.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { Interruption } from "../interruption.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";

/** Submission that failed while its objects were created or its driver was watched. */
interface FailedSubmission {
  readonly host: Pick<Host, "clock">;
  readonly resources: readonly KubeResource[];
  readonly behaviors: Pick<Behaviors, "diagnosis">;
  readonly interrupted: Interruption;
}

/**
 * Returns the outcome of an interruption while objects were created.
 *
 * @throws any other error, with the cause of the API's rejection if a rule knows it
 */
export async function failedSubmission(
  error: unknown,
  { host, resources, behaviors, interrupted }: FailedSubmission,
): Promise<KubernetesOutcome["end"]> {
  const explained = behaviors.diagnosis === "spark" ? error : await explain(error, host, resources);
  const signal = interrupted.received();
  if (signal === undefined || !isSubmitError(explained) || explained.code !== "SUBMIT_ERR_INTERRUPTED") throw explained;
  const [, ...left] = explained.issues;
  return { kind: "interrupted", signal, driver: "rolledBack", left };
}

async function explain(error: unknown, { clock }: Pick<Host, "clock">, resources: readonly KubeResource[]) {
  if (statusOf(error) === undefined) return error;
  const { explainRejection } = await import("./explain-rejection.ts");
  return explainRejection(error, resources, clock.now());
}
