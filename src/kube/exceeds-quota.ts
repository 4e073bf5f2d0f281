import { compareQuantities } from "../values/quantity.ts";
import { type Amounts, parseAmounts } from "./amounts.ts";

/**
 * Returns whether a request exceeds a total quota, so that waiting does not help. Both are texts of an error of the API, such as
 * `pods=1,requests.cpu=2`.
 */
export function exceedsQuota(requested: string, limited: string): boolean {
  const limits = amountsIn(limited);
  return [...amountsIn(requested)].some(([resource, amount]) => {
    const limit = limits.get(resource);
    return limit !== undefined && compareQuantities(amount, limit) > 0;
  });
}

function amountsIn(text: string): Amounts {
  return parseAmounts(Object.fromEntries(text.split(",").map((part) => part.trim().split("="))));
}
