import type { Facts } from "../../../plan/facts.ts";
import { seededIds } from "../../../resolve/seeded-ids.ts";

/**
 * Returns the facts with names that no other attempt at the same submission uses. Each attempt lists its uploads in its own
 * ConfigMap, and keeps the credentials of its staged files in its own objects.
 *
 * @param attempt unique ID of the attempt
 */
export function withAttemptNames(facts: Facts, attempt: string): Facts {
  const { confMap } = seededIds(attempt).uniqueIds;
  return { ...facts, uniqueIds: { ...facts.uniqueIds, confMap, attempt: confMap } };
}
