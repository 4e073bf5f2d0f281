import { parseInvalidCommandLine } from "../../command-line/parse.ts";
import { appName, master, submitDeployMode } from "../../conf/entries/app.ts";
import type { SparkLine } from "../../conf/spark-version.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { Submission } from "../model/application.ts";
import { printIssues } from "../submit/print-issues.ts";

/** Part of a submission that the arguments of spark-submit describe. */
export type ParsedSubmitArgs =
  | { readonly ok: true; readonly name: string | undefined; readonly submission: Omit<Submission, "templates"> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses the arguments of spark-submit for a driver on Kubernetes in cluster mode. Finds all problems. */
export function parseSubmitArgs(args: readonly string[], line: SparkLine): ParsedSubmitArgs {
  const { invocation, issues } = parseInvalidCommandLine(args, line);
  const problems = issues.length === 0 ? [] : [printIssues(issues)];
  if (invocation.action !== "submit") {
    return { ok: false, problems: [...problems, "The arguments must submit an application."] };
  }
  problems.push(...unsupported(invocation));
  if (problems.length > 0) return { ok: false, problems };
  const { fields, resource, appArgs } = invocation;
  const settings = Object.fromEntries(invocation.settings.map(({ key, value }) => [key, value]));
  const name = fields.name ?? settings[appName.key];
  return { ok: true, name, submission: { fields, settings, resource, appArgs } };
}

/** Returns what a server cannot do for a client. */
function unsupported(invocation: SubmitInvocation): readonly string[] {
  const { fields, settings, shell, isExample, propertiesFile, extraPropertiesFiles, loadsDefaults } = invocation;
  const setting = (key: string) => settings.find((found) => found.key === key)?.value;
  const requested = fields.master ?? setting(master.key);
  const deployMode = fields.deployMode ?? setting(submitDeployMode.key);
  return [
    ...(requested === undefined || requested.startsWith("k8s://")
      ? []
      : [`The master must be Kubernetes (k8s://…), not ${JSON.stringify(requested)}.`]),
    ...(deployMode === undefined || deployMode === "cluster"
      ? []
      : [`The deploy mode must be cluster, not ${JSON.stringify(deployMode)}.`]),
    ...(shell === undefined && !isExample ? [] : ["Shells and examples are not supported."]),
    ...(propertiesFile === undefined && extraPropertiesFiles.length === 0 && !loadsDefaults
      ? []
      : ["Properties files are not supported: they would be files of the server. Use --conf."]),
  ];
}
