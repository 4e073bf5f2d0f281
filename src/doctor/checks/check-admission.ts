import type { CauseName } from "../../diagnosis/causes.ts";
import type { DryRun } from "../fetch/dry-run.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import { titleOf } from "../submission.ts";

/** Causes with another name for executors. */
const executorCauses: Partial<Readonly<Record<CauseName, CauseName>>> = {
  "quota-exceeded": "executor-quota-exceeded",
  "service-account-missing": "executor-account-missing",
};

/** Reports the objects that the API would reject. */
export function checkAdmission(dryRuns: readonly DryRun[]): readonly Finding[] {
  const findings = dryRuns.flatMap(findingsOf);
  const admitted = dryRuns.filter((run) => run.admitted !== undefined);
  if (findings.length > 0 || admitted.length === 0) return findings;
  return [ok("admission", `The API would accept the ${admitted.length} objects of the driver and its first executor.`)];
}

function findingsOf({ part, object, rejection, diagnosis }: DryRun): readonly Finding[] {
  if (rejection === undefined) return [];
  const title = titleOf(object);
  const cause = diagnosis?.cause;
  if (diagnosis === undefined || cause === undefined || cause === "unauthorized" || cause === "forbidden")
    return [skipped("admission", `Whether the API would accept the ${title} was not checked: ${rejection}`)];
  if (/does not support dry run/.test(rejection))
    return [
      skipped(
        "admission",
        `A webhook does not take part in dry runs, so whether it accepts the ${title} is not known: ${rejection}`,
      ),
    ];
  const isExecutors = part === "executor" || part === "executorResource";
  return [
    {
      check: "admission",
      status: diagnosis.isTerminal ? "failure" : "warning",
      cause: isExecutors ? (executorCauses[cause] ?? cause) : cause,
      reason: `The API would reject the ${title}${isExecutors ? " of the first executor" : ""}. ${diagnosis.message}`,
      fix: diagnosis.nextStep,
      key: diagnosis.key,
    },
  ];
}
