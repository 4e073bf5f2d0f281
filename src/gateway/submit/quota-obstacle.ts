import { hasCode } from "../../errors/submit-error.ts";
import { statusOf } from "../../kube/status.ts";
import { parseQuantity, quantityNumber } from "../../values/quantity.ts";

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
  const limits = amountsOf(limited);
  for (const [name, amount] of amountsOf(requested)) if (amount > (limits.get(name) ?? amount)) return undefined;
  return `The quota ${quota} is exhausted: it needs ${requested}; ${used} of ${limited} is used.`;
}

function amountsOf(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split(",").flatMap((part) => {
      const [name = "", value = ""] = part.split("=");
      const quantity = parseQuantity(value);
      return quantity === undefined ? [] : [[name, quantityNumber(quantity)] as const];
    }),
  );
}
