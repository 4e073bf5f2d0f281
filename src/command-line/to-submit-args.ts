import { firesteelSettings } from "../conf/entries/firesteel.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";

/** What goes into the words of a submission besides what was said. */
export interface SubmitArgsOptions {
  /** Options and settings that are not said again. @default none */
  readonly leavesOut?: readonly string[];
  /** Jars that go along. @default none */
  readonly jars?: readonly string[];
}

/**
 * A submission as words again, in the order in which Spark's launcher hands them to the JVM. Options of ours are no business of
 * Spark's.
 *
 * Source: Spark SparkSubmitCommandBuilder.buildSparkSubmitArgs; recorded with 3.5.9 to 4.3.0.
 */
export function toSubmitArgs(
  invocation: SubmitInvocation,
  { leavesOut = [], jars = [] }: SubmitArgsOptions = {},
): readonly string[] {
  const { fields, settings, propertiesFile, extraPropertiesFiles, forwardedOptions, resource, appArgs } =
    invocation;
  const said = (option: string, value: string | undefined) =>
    value === undefined || leavesOut.includes(option) ? [] : [option, value];
  const kept = settings.filter(
    ({ key }) => !leavesOut.includes(key) && !key.startsWith(firesteelSettings.prefix),
  );
  return [
    ...said("--master", fields.master),
    ...said("--remote", fields.remote),
    ...said("--deploy-mode", fields.deployMode),
    ...kept.flatMap(({ key, value }) => ["--conf", `${key}=${value}`]),
    ...said("--properties-file", propertiesFile),
    ...extraPropertiesFiles.flatMap((path) => ["--extra-properties-file", path]),
    ...(invocation.loadsDefaults ? ["--load-spark-defaults"] : []),
    ...(jars.length === 0 ? [] : ["--jars", jars.join(",")]),
    ...said("--class", fields.mainClass),
    ...forwardedOptions,
    resource,
    ...appArgs,
  ];
}
