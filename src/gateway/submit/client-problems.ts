import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import type { Submission } from "../model/application.ts";
import { isReservedSetting } from "./reserved-settings.ts";

/** Options that make the submitting machine build or read something: it would be the server. */
const serverOptions = ["pythonEnv", "mounts"] as const;

/**
 * Returns what clients must not request, by whatever protocol: settings that name files of the server or change its identity, and
 * namespaces that it does not serve.
 *
 * @param namespaces `undefined` for all
 * Errors: SUBMIT_ERR_GATEWAY_SETTING.
 */
export function clientProblems(
  { fields, settings }: Pick<Submission, "fields" | "settings">,
  namespaces: readonly string[] | undefined,
): readonly Issue[] {
  const reject = (key: string, reason: string) => issue("SUBMIT_ERR_GATEWAY_SETTING", { key, reason });
  const namespace = settings[namespaceEntry.key];
  const isForeign = namespace !== undefined && namespaces?.includes(namespace) === false;
  return [
    ...Object.keys(settings)
      .filter(isReservedSetting)
      .map((key) => reject(key, "it concerns files or the identity of the gateway's server")),
    ...serverOptions
      .filter((name) => fields[name] !== undefined)
      .map((name) => reject(name, "the server would build it")),
    ...(isForeign
      ? [
          reject(
            namespaceEntry.key,
            `the gateway does not serve namespace ${namespace}, only ${namespaces?.join(", ")}`,
          ),
        ]
      : []),
  ];
}
