import type { Facts } from "../../plan/facts.ts";
import { seededIds } from "../resolve/seeded-ids.ts";

/**
 * The same facts, with a configuration map that no other attempt at the same submission has: what one attempt uploaded
 * stands in its map alone.
 *
 * @param attempt unique
 */
export function withOwnConfMap(facts: Facts, attempt: string): Facts {
  const { confMap } = seededIds(attempt).uniqueIds;
  return { ...facts, uniqueIds: { ...facts.uniqueIds, confMap } };
}
