import type { Facts } from "../../../plan/facts.ts";
import { seededIds } from "../../../resolve/seeded-ids.ts";

/**
 * The same facts, with names that no other attempt at the same submission has: what one attempt uploaded stands in its
 * configuration map alone, and what opens what it staged in its own objects.
 *
 * @param attempt unique
 */
export function withAttemptNames(facts: Facts, attempt: string): Facts {
  const { confMap } = seededIds(attempt).uniqueIds;
  return { ...facts, uniqueIds: { ...facts.uniqueIds, confMap, attempt: confMap } };
}
