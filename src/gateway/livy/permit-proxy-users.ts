import { type Issue, issue } from "../../errors/issue.ts";
import type { Applications, NewApplication } from "../model/applications.ts";
import type { LivySettings } from "../settings.ts";
import { impersonate } from "./permissions.ts";

type Rules = Pick<LivySettings, "isImpersonating" | "superusers" | "access">;

/**
 * Returns the applications, of which those with a proxy user are rejected unless the settings of Livy's impersonation permit it, whatever
 * the protocol.
 */
export function permitProxyUsers(applications: Applications, rules: Rules): Applications {
  return {
    ...applications,
    async submit(application) {
      const issues = proxyUserIssues(application, rules);
      return issues.length === 0 ? applications.submit(application) : { kind: "rejected", issues };
    },
  };
}

/** Checks whether the owner of an application may name its proxy user. Errors: SUBMIT_ERR_GATEWAY_SETTING. */
export function proxyUserIssues(
  { owner, submission }: Pick<NewApplication, "owner" | "submission">,
  rules: Rules,
): readonly Issue[] {
  const reason = problemOf(owner, submission.fields.proxyUser, rules);
  return reason === undefined ? [] : [issue("SUBMIT_ERR_GATEWAY_SETTING", { key: "--proxy-user", reason })];
}

function problemOf(owner: string | undefined, target: string | undefined, rules: Rules): string | undefined {
  if (target === undefined) return undefined;
  if (!rules.isImpersonating) return "proxy users are not enabled (livy.impersonation.enabled)";
  if (impersonate(owner, target, rules).ok) return undefined;
  return `user ${owner} is not one of livy.superusers, and may only name itself`;
}
