import { keys } from "../../diagnosis/settings.ts";
import type { ReviewedAction } from "../fetch/access-reviews.ts";
import { foundValue } from "../fetch/fetched.ts";
import type { NeededAction } from "../fetch/needed-permissions.ts";
import { type CheckName, type Finding, ok, skipped } from "../finding.ts";

/** Reports the calls of the submission for which its account has no permission. */
export function checkPermissions(
  needed: readonly NeededAction[],
  reviews: readonly ReviewedAction[],
  namespace: string,
): readonly Finding[] {
  const consequences = {
    required: "the submission needs it",
    optional: "without it, a failed submission is not cleaned up and logs are not shown",
  };
  const fix = `Ask an administrator to run firesteel setup namespace ${namespace}, with --submitter and your name.`;
  const problem = { cause: "forbidden", fix } as const;
  return findingsOf("permissions", { needed, reviews, subject: "Your account", consequences, problem });
}

/** Reports the calls of the driver for which its service account has no permission. */
export function checkDriverPermissions(
  needed: readonly NeededAction[],
  reviews: readonly ReviewedAction[],
  { namespace, account }: { readonly namespace: string; readonly account: string },
): readonly Finding[] {
  const subject = `The driver's service account ${account}`;
  const consequences = {
    required: "the driver cannot start executors",
    optional: "the driver cannot delete what it created",
  };
  const fix =
    account === "default"
      ? `Run firesteel setup namespace ${namespace}, and submit with --conf ${keys.driverAccount}=spark.`
      : `Run firesteel setup namespace ${namespace} --service-account ${account}.`;
  const problem = { cause: "driver-forbidden", fix, key: keys.driverAccount } as const;
  const unknownFix = `For this check, ask an administrator to run firesteel setup namespace ${namespace} --allow doctor.`;
  return findingsOf("driver-permissions", { needed, reviews, subject, consequences, problem, unknownFix });
}

interface Reviewed {
  readonly needed: readonly NeededAction[];
  readonly reviews: readonly ReviewedAction[];
  readonly subject: string;
  readonly consequences: { readonly required: string; readonly optional: string };
  readonly problem: Pick<Finding, "cause" | "key"> & { readonly fix: string };
  /** Action for permissions that were not checked. @default none */
  readonly unknownFix?: string;
}

function findingsOf(check: CheckName, reviewed: Reviewed): readonly Finding[] {
  const { needed, reviews, subject, consequences, problem } = reviewed;
  const denied = needed.filter((_, index) => foundValue(reviews[index]?.isAllowed) === false);
  const unknown = reviews.find(({ isAllowed }) => isAllowed.kind !== "found")?.isAllowed;
  const finding = (status: "failure" | "warning", actions: readonly NeededAction[], consequence: string) =>
    actions.length === 0
      ? []
      : [{ ...problem, check, status, reason: `${subject} may not ${printActions(actions)}: ${consequence}.` }];
  const findings: readonly Finding[] = [
    ...finding(
      "failure",
      denied.filter(({ isRequired }) => isRequired),
      consequences.required,
    ),
    ...finding(
      "warning",
      denied.filter(({ isRequired }) => !isRequired),
      consequences.optional,
    ),
  ];
  if (unknown !== undefined) {
    const why = unknown.kind === "unknown" ? unknown.reason : "the API has no access reviews";
    return [
      ...findings,
      skipped(check, `The permissions of ${lowerFirst(subject)} were not checked: ${why}`, reviewed.unknownFix),
    ];
  }
  return findings.length > 0 ? findings : [ok(check, `${subject} has the ${needed.length} permissions that it needs.`)];
}

/** Prints actions by resource, e.g. `create, patch services`. */
function printActions(actions: readonly NeededAction[]): string {
  const verbs = new Map<string, string[]>();
  for (const { verb, group, resource } of actions) {
    const name = group === "" ? resource : `${resource}.${group}`;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  return [...verbs].map(([name, found]) => `${found.join(", ")} ${name}`).join("; ");
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
