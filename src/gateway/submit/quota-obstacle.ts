import { hasCode } from "../../errors/submit-error.ts";
import { exceedsQuota } from "../../kube/exceeds-quota.ts";
import { statusOf } from "../../kube/status.ts";

// Kubernetes 1.35, admission plug-in ResourceQuota: amounts are printed as `pods=1,requests.cpu=2`.
const exceeded = /exceeded quota: (.*?), requested: (\S+), used: (\S+), limited: (\S+)/;

/**
 * Returns why a submission must wait for its quota: its object fits into the quota, but not beside others. Returns `undefined`
 * for other failures, which a later attempt cannot avoid.
 */
export function quotaObstacle(error: unknown): string | undefined {
  if (!hasCode(error, "SUBMIT_ERR_KUBE_QUOTA")) return undefined;
  const found = exceeded.exec(statusOf(error)?.message ?? "");
  if (found === null) return undefined;
  const [, quota, requested = "", used, limited = ""] = found;
  if (exceedsQuota(requested, limited)) return undefined;
  return `The quota ${quota} is exhausted: it needs ${requested}; ${used} of ${limited} is used.`;
}
