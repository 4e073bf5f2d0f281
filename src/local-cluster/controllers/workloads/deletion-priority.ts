import { isObject } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { phaseOf, readySince } from "./pods.ts";

/** Orders pods by deletion priority: first those without a node, not running, not ready, or ready for a short time. */
export function byDeletionPriority(a: StoredObject, b: StoredObject): number {
  const rank = (pod: StoredObject) => [
    Number(isObject(pod["spec"]) && pod["spec"]["nodeName"] !== undefined),
    ["Pending", "Unknown", "Running"].indexOf(phaseOf(pod)),
    Number(readySince(pod) !== undefined),
    -(readySince(pod) ?? 0),
    -Date.parse(pod.metadata.creationTimestamp ?? ""),
  ];
  const [left, right] = [rank(a), rank(b)];
  const differences = left.map((value, index) => value - (right[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
