import { type Issue, issuesOf } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import type { ChosenMaster } from "./check-master.ts";
import { delegateToLocalSpark } from "./delegate-to-local-spark.ts";
import { printFrontEndOutput } from "./print-front-end-output.ts";
import { rejectIfAny } from "./reject.ts";
import { type ResolvedSettings, resolveSettings, type SettingsInput } from "./resolve-settings.ts";

/** A submission with its settings and its strategy; nothing is prepared or printed yet. */
export interface ResolvedSubmission extends Omit<ResolvedSettings, "master" | "rejection"> {
  readonly master: ChosenMaster;
  /** Problems of the master and of its deploy mode, which are also the last of `issues`. */
  readonly masterIssues: readonly Issue[];
}

/**
 * Reads and merges the settings of a submission, and chooses its strategy.
 *
 * @throws SubmitError with every problem, after the output of Spark's front end, if no strategy can perform the submission
 */
export async function resolveSubmission(input: SettingsInput): Promise<ResolvedSubmission> {
  const settings = resolveSettings(input);
  const masterIssues = [...issuesOf(settings.master), ...settings.rejection];
  const issues = [...settings.issues, ...masterIssues];
  const master = await chooseMaster(settings);
  if (master !== undefined) return { ...settings, master, masterIssues, issues };
  printFrontEndOutput(settings);
  rejectIfAny([...issues, ...(await issuesOfSettings(settings))], settings.behaviors);
  return orThrow<never>({ ok: false, issues });
}

/** Without settings, loads no check: a mistyped option is reported at once. */
async function issuesOfSettings(settings: ResolvedSettings): Promise<readonly Issue[]> {
  if (settings.read.settings.size === 0) return [];
  const { settingIssues } = await import("./setting-issues.ts");
  return settingIssues(settings);
}

/** Returns `undefined` if the master is invalid, or if Spark rejects it and no strategy reproduces how Spark does that. */
async function chooseMaster(settings: ResolvedSettings): Promise<ChosenMaster | undefined> {
  const { master, rejection, behaviors } = settings;
  const delegated = behaviors.unservedCommands === "spark" ? delegateToLocalSpark(settings) : undefined;
  if (delegated !== undefined) return delegated;
  const reportsAll = behaviors.issueReport === "all";
  if (!master.ok) {
    if (!reportsAll) return undefined;
    const { presumedMaster } = await import("./presumed-master.ts");
    return presumedMaster(settings);
  }
  return rejection.length > 0 && reportsAll ? undefined : master.value;
}
