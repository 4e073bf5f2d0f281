import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import type { Submission } from "../model/application.ts";
import { isReservedSetting } from "./reserved-settings.ts";

/** Options that make the submitting machine build or read something: it would be the server. */
const serverOptions = ["pythonEnv", "mounts"] as const;

/** A submission without what clients must not request, and the problem of each part that it lacks. */
interface Separated {
  readonly permitted: Submission;
  readonly forbidden: readonly Issue[];
}

/**
 * Separates what clients must not request, by whatever protocol: settings that name files of the server or change its identity, and
 * namespaces that it does not serve. The rest can be checked.
 *
 * @param namespaces `undefined` for all
 * Errors: SUBMIT_ERR_GATEWAY_SETTING.
 */
export function separateForbidden(submission: Submission, namespaces: readonly string[] | undefined): Separated {
  const { fields, settings } = submission;
  const reasons = new Map<string, string>();
  for (const key of Object.keys(settings))
    if (isReservedSetting(key)) reasons.set(key, "it concerns files or the identity of the gateway's server");
  for (const name of serverOptions) if (fields[name] !== undefined) reasons.set(name, "the server would build it");
  const namespace = settings[namespaceEntry.key];
  if (namespace !== undefined && namespaces?.includes(namespace) === false)
    reasons.set(namespaceEntry.key, `the gateway does not serve namespace ${namespace}, only ${namespaces.join(", ")}`);
  const without = <T extends object>(all: T) =>
    Object.fromEntries(Object.entries(all).filter(([key]) => !reasons.has(key)));
  return {
    permitted: { ...submission, fields: without(fields), settings: without(settings) },
    forbidden: [...reasons].map(([key, reason]) => issue("SUBMIT_ERR_GATEWAY_SETTING", { key, reason })),
  };
}
