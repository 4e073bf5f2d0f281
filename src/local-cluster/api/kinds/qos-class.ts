import type { PodSpec } from "../../../kube/types.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { isSame } from "../json.ts";

/** Returns the quality of service class. */
export function qosClass(spec: PodSpec): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const amounts = containers.map(({ resources }) => ({
    requests: positive(resources?.requests),
    limits: positive(resources?.limits),
  }));
  if (amounts.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return "BestEffort";
  const isGuaranteed = amounts.every(
    ({ requests, limits }) =>
      limits.has("cpu") && limits.has("memory") && isSame([...requests].sort(), [...limits].sort()),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

function positive(amounts: Readonly<Record<string, string>> | undefined): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(amounts ?? {}).flatMap(([name, amount]): [string, string][] => {
      const nano = parseQuantity(amount)?.nano ?? 0n;
      return (name === "cpu" || name === "memory") && nano > 0n ? [[name, String(nano)]] : [];
    }),
  );
}
