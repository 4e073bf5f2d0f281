import type { Diagnosis } from "./diagnosis.ts";
import type { Observation } from "./observation.ts";

/**
 * Why a driver does not start, ended badly or does not get on; `undefined` while nothing is wrong.
 *
 * Asked again with later observations, it keeps to a cause once that is right, or gives one that is more exact.
 */
export function diagnose(_observation: Observation): Diagnosis | undefined {
  return undefined;
}
