import { issue } from "../../errors/issue.ts";
import type { Applications } from "../model/applications.ts";
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
      const { owner, submission } = application;
      const reason = problemOf(owner, submission.fields.proxyUser, rules);
      if (reason === undefined) return applications.submit(application);
      return { kind: "rejected", issues: [issue("SUBMIT_ERR_GATEWAY_SETTING", { key: "--proxy-user", reason })] };
    },
  };
}

function problemOf(owner: string | undefined, target: string | undefined, rules: Rules): string | undefined {
  if (target === undefined) return undefined;
  if (!rules.isImpersonating) return "proxy users are not enabled (livy.impersonation.enabled)";
  if (impersonate(owner, target, rules).ok) return undefined;
  return `user ${owner} is not one of livy.superusers, and may only name itself`;
}
