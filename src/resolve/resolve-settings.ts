import { type Behaviors, behaviorsOf } from "../conf/behaviors.ts";
import {
  newestLine,
  newestRelease,
  type SparkLineTraits,
  type SparkVersion,
  traitsOf,
} from "../conf/spark-version.ts";
import { errorCodeEntry } from "../errors/find-entry.ts";
import { type Issue, issuesOf, type Result } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { OtherStrategyName } from "../plan/cluster-manager.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import type { LogLine } from "../plan/log-line.ts";
import { fieldIssues } from "./check-fields.ts";
import { acceptMaster, type ChosenMaster, readMaster } from "./check-master.ts";
import type { OpenEmbedded } from "./destination.ts";
import { type FieldValues, mergeFields, resolveResource } from "./merge-fields.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { resolveSparkVersion } from "./resolve-spark-version.ts";
import { shellIssues } from "./shell-issues.ts";
import { submitterPaths } from "./submitter-paths.ts";
import { printFiles, printParsedArguments } from "./verbose.ts";
import { warnDeprecatedKeys } from "./warn-deprecated-keys.ts";

/** A command line, and the machine that it was written on. */
export interface SettingsInput {
  /** Its environment has what spark-env.sh sets. */
  readonly host: Host;
  readonly log: Log;
  readonly invocation: SubmitInvocation;
  /** The version of the Spark on this machine. @default none is here */
  readonly localSpark?: (() => string | undefined) | undefined;
}

/** What all sources together say: settings, fields, and where it goes; nothing is prepared or told yet. */
export interface ResolvedSettings extends Pick<SettingsInput, "host" | "log" | "invocation"> {
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  readonly version: SparkVersion;
  readonly traits: SparkLineTraits;
  readonly behaviors: Behaviors;
  /** The primary resource as a URI. */
  readonly resource: string;
  /** Where it goes, or why that is nowhere. */
  readonly master: Result<ChosenMaster>;
  /** Why it may not go there in this mode. */
  readonly refusal: readonly Issue[];
  /** What Spark's front end says of the master. */
  readonly masterLog: readonly LogLine[];
  /** Of files and values; they come before those of the master. */
  readonly issues: readonly Issue[];
  /** There are no issues but the refusal. */
  readonly hasNoIssues: boolean;
}

/** A submission that is not for Kubernetes in cluster mode: understood, and nothing of it is told yet. A refusal is the last issue. */
export interface ResolvedSubmission extends Omit<ResolvedSettings, "master" | "refusal"> {
  readonly master: ChosenMaster & { readonly place: OtherStrategyName };
  /** Opens the cluster that `k8s://embedded` means. @default there is none */
  readonly openEmbedded?: OpenEmbedded | undefined;
}

/** Reads all that a submission was told. */
export function resolveSettings({
  host,
  log,
  invocation,
  localSpark = () => undefined,
}: SettingsInput): ResolvedSettings {
  const { env } = host;
  const behaviors = behaviorsOf(env);
  const read = readSettings(host, invocation);
  const { settings } = read;
  const spoken = resolveSparkVersion({ settings, env, localSpark });
  const version = spoken.ok ? spoken.value : { line: newestLine, text: newestRelease(newestLine).text };
  const { line } = version;
  const traits = traitsOf(line);
  const paths = submitterPaths(host);
  // What is refused needs no look at its files.
  let resolved: string | undefined;
  const resource = () => {
    resolved ??= resolveResource(invocation.resource, { paths, line });
    return resolved;
  };
  const fields = mergeFields({ invocation, settings, env, paths, resource });
  const named = readMaster({ fields, traits, behaviors });
  const ofShell = invocation.shell === undefined ? [] : shellIssues(invocation);
  const issues = [
    ...[...read.issues, ...ofShell, ...issuesOf(spoken)],
    ...fieldIssues({ fields, settings, env, traits }),
  ];
  return {
    ...{ host, log, invocation, read, fields, version, traits, behaviors },
    get resource() {
      return resource();
    },
    master: named,
    refusal: named.ok ? issuesOf(acceptMaster({ invocation, fields, traits, line }, named.value)) : [],
    masterLog: named.ok ? (named.value.kubernetes?.log ?? []) : [],
    issues,
    hasNoIssues: issues.length === 0,
  };
}

/** Says on stderr what Spark's front end says before it prepares anything. */
export function printFrontEndOutput(understanding: Omit<ResolvedSettings, "master" | "refusal">): void {
  const { host, log, invocation, read, version, behaviors, issues, hasNoIssues, masterLog } = understanding;
  // Spark's front end does not start if its launcher rejects the command line.
  if (behaviors.issueReport === "spark" && issues.some(({ code }) => errorCodeEntry(code).kind === "usage"))
    return;
  const { stderr } = host;
  if (invocation.verbose) stderr.write(printFiles(understanding));
  for (const key of read.ignored) stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  warnDeprecatedKeys(read.settings, version.line, log);
  if (invocation.verbose && hasNoIssues) stderr.write(printParsedArguments(understanding));
  for (const { level, logger, text } of masterLog) {
    // Apache's front end shows nothing below a warning.
    if (level !== "INFO") log(level, logger, text);
  }
}
