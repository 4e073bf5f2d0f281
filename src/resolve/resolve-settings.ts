import { type Behaviors, behaviorsOf } from "../conf/behaviors.ts";
import { newestLine, newestRelease, type SparkLineTraits, type SparkVersion, traitsOf } from "../conf/spark-version.ts";
import { type Issue, issuesOf, type Result } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import type { LogLine } from "../plan/log-line.ts";
import { fieldIssues } from "./check-fields.ts";
import { type ChosenMaster, checkMaster, parseMaster } from "./check-master.ts";
import { type FieldValues, mergeFields, resolveResource } from "./merge-fields.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { resolveSparkVersion } from "./resolve-spark-version.ts";
import { shellIssues } from "./shell-issues.ts";
import { submitterPaths } from "./submitter-paths.ts";

/** Inputs of settings: a command line and the machine on which it was written. */
export interface SettingsInput {
  /** Host whose environment already contains the variables of spark-env.sh. */
  readonly host: Host;
  readonly log: Log;
  readonly invocation: SubmitInvocation;
  /** Problems of the command line, which prevent the submission. @default none */
  readonly issues?: readonly Issue[] | undefined;
  /** Returns the version of the Spark on this machine. @default there is none */
  readonly localSpark?: (() => string | undefined) | undefined;
}

/** Settings, fields and master of a submission, merged from all sources; nothing is prepared or printed yet. */
export interface ResolvedSettings extends Pick<SettingsInput, "host" | "log" | "invocation"> {
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  readonly version: SparkVersion;
  readonly traits: SparkLineTraits;
  readonly behaviors: Behaviors;
  /** Primary resource as a URI. */
  readonly resource: string;
  readonly master: Result<ChosenMaster>;
  /** Reasons why Spark rejects the application on this master in this mode; empty if the master is invalid. */
  readonly rejection: readonly Issue[];
  /** Log lines of Spark's front end about the master. */
  readonly masterLog: readonly LogLine[];
  /** Problems of files and values; Spark reports them before those of the master. */
  readonly issues: readonly Issue[];
  /** Whether `issues` was empty when the settings were resolved. */
  readonly hasNoIssues: boolean;
}

/** Reads and merges the settings of a submission, and finds its master. Returns problems as issues. */
export function resolveSettings({
  host,
  log,
  invocation,
  issues: commandLineIssues = [],
  localSpark = () => undefined,
}: SettingsInput): ResolvedSettings {
  const { env } = host;
  const behaviors = behaviorsOf(env);
  const read = readSettings(host, invocation);
  const { settings } = read;
  const resolvedVersion = resolveSparkVersion({ settings, env, localSpark });
  const version = resolvedVersion.ok ? resolvedVersion.value : newestVersion();
  const { line } = version;
  const traits = traitsOf(line);
  const paths = submitterPaths(host);
  const resource = once(() => resolveResource(invocation.resource, { paths, line }));
  const fields = mergeFields({ invocation, settings, env, paths, resource });
  const master = parseMaster({ fields, traits, behaviors });
  const issues = [
    ...commandLineIssues,
    ...read.issues,
    ...(invocation.shell === undefined ? [] : shellIssues(invocation)),
    ...issuesOf(resolvedVersion),
    ...fieldIssues({ fields, settings, env, traits }),
  ];
  return {
    ...{ host, log, invocation, read, fields, version, traits, behaviors },
    // A getter: a rejected submission must not touch the file system for its resource.
    get resource() {
      return resource();
    },
    master,
    rejection: master.ok ? issuesOf(checkMaster({ invocation, fields, traits, line }, master.value)) : [],
    masterLog: master.ok ? (master.value.kubernetes?.log ?? []) : [],
    issues,
    hasNoIssues: issues.length === 0,
  };
}

function newestVersion(): SparkVersion {
  return { line: newestLine, text: newestRelease(newestLine).text };
}

function once(compute: () => string): () => string {
  let value: string | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
