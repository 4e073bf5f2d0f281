import { failure, type Result, success, withIssues } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { KubernetesMaster } from "../plan/master.ts";
import { printFrontEndOutput, type ResolvedSettings } from "./resolve-settings.ts";

/**
 * Says what Spark's front end says of a submission for Kubernetes in cluster mode, and gives its API server.
 *
 * @throws SubmitError with every problem, where the master leaves nothing to plan
 */
export function requireKubernetesMaster(understood: ResolvedSettings): KubernetesMaster {
  printFrontEndOutput(understood);
  return orThrow(withIssues(understood.issues, kubernetesMaster(understood)));
}

/** The API server of a submission in cluster mode; elsewhere nothing is served here. */
function kubernetesMaster({ master, refusal }: ResolvedSettings): Result<KubernetesMaster> {
  if (!master.ok) return master;
  if (refusal.length > 0) return { ok: false, issues: refusal };
  const { place, text, mode, kubernetes } = master.value;
  if (kubernetes === undefined || place !== "kubernetes")
    return failure("SUBMIT_ERR_MASTER_NOT_SERVED", { master: text, mode });
  return success(kubernetes);
}
