import type { Diagnosis } from "./diagnosis.ts";
import type { Observation } from "./observation.ts";
import { allRules } from "./rules/all.ts";
import { viewOf } from "./view.ts";
import { withoutSecrets } from "./without-secrets.ts";

/**
 * Why a driver does not start, ended badly or does not get on; `undefined` while nothing is wrong.
 *
 * Asked again with later observations, it keeps to a cause once that is right, or gives one that is more exact.
 */
export function diagnose(observation: Observation): Diagnosis | undefined {
  const view = viewOf(observation);
  for (const { cause, remedy, find } of allRules) {
    const found = find(view);
    if (found === undefined) continue;
    const { message, nextStep = remedy, key, evidence, isTerminal = true, isOver = false } = found;
    return withoutSecrets(
      { cause, isTerminal, ...(isOver ? { isOver } : {}), message, nextStep, key, evidence },
      observation.properties,
    );
  }
  return undefined;
}
