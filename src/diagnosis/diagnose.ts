import type { Diagnosis } from "./diagnosis.ts";
import type { Observation } from "./observation.ts";
import { allRules } from "./rules/all.ts";
import { secretsOf } from "./secrets.ts";
import { viewOf } from "./view.ts";
import { withoutSecrets } from "./without-secrets.ts";

/**
 * Finds the reason why a driver does not start, failed or is not making progress. `undefined` while nothing is
 * wrong. With later observations it keeps a correct cause, or returns a more exact one.
 */
export function diagnose(observation: Observation): Diagnosis | undefined {
  const view = viewOf(observation);
  for (const { cause, remedy, find } of allRules) {
    const found = find(view);
    if (found === undefined) continue;
    const { message, nextStep = remedy, key, evidence, isTerminal = true, isResolved = false } = found;
    return withoutSecrets(
      { cause, isTerminal, ...(isResolved ? { isResolved } : {}), message, nextStep, key, evidence },
      secretsOf(observation),
    );
  }
  return undefined;
}
