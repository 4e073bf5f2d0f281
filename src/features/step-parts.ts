import type { PodConf } from "../plan/driver-conf.ts";
import { type Fields, isFields } from "../values/fields.ts";
import type { Contribution, ContributionPart, FeatureStep } from "./step.ts";

/** Builds the contribution of a step from parts. No two parts set the same value; lists are appended. */
export function inParts<C extends PodConf>(
  ...parts: readonly ContributionPart<C>[]
): Pick<FeatureStep<C>, "contribute" | "parts"> {
  return {
    parts,
    contribute: (conf) => parts.reduce<Contribution>((sum, part) => merge(sum, part(conf)), {}),
  };
}

function merge<T extends object>(present: T, added: T): T;
function merge(present: Fields, added: Fields): Fields {
  const result: Record<string, unknown> = { ...present };
  for (const [field, value] of Object.entries(added)) {
    const before = result[field];
    if (isFields(before) && isFields(value)) result[field] = merge(before, value);
    else if (Array.isArray(before) && Array.isArray(value)) result[field] = [...before, ...value];
    else if (value !== undefined) result[field] = value;
  }
  return result;
}
