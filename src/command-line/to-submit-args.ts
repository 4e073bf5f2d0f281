import { firesteelSettings } from "../conf/entries/firesteel.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";

/** Changes to the arguments of a submission. */
interface SubmitArgsOptions {
  /** Options and settings to omit. @default none */
  readonly omitted?: readonly string[];
  /** Jars to add. @default none */
  readonly jars?: readonly string[];
}

/**
 * Prints a submission as arguments, in the order in which Spark's launcher passes them to the JVM. Omits Firesteel's own settings.
 *
 * Source: Spark SparkSubmitCommandBuilder.buildSparkSubmitArgs; recorded with 3.5.9 to 4.3.0.
 */
export function toSubmitArgs(
  invocation: SubmitInvocation,
  { omitted = [], jars = [] }: SubmitArgsOptions = {},
): readonly string[] {
  const { fields, settings, propertiesFile, extraPropertiesFiles, forwardedOptions, resource, appArgs } = invocation;
  const optional = (option: string, value: string | undefined) =>
    value === undefined || omitted.includes(option) ? [] : [option, value];
  const kept = settings.filter(({ key }) => !omitted.includes(key) && !key.startsWith(firesteelSettings.prefix));
  return [
    ...optional("--master", fields.master),
    ...optional("--remote", fields.remote),
    ...optional("--deploy-mode", fields.deployMode),
    ...kept.flatMap(({ key, value }) => ["--conf", `${key}=${value}`]),
    ...optional("--properties-file", propertiesFile),
    ...extraPropertiesFiles.flatMap((path) => ["--extra-properties-file", path]),
    ...(invocation.loadsDefaults ? ["--load-spark-defaults"] : []),
    ...(jars.length === 0 ? [] : ["--jars", jars.join(",")]),
    ...optional("--class", fields.mainClass),
    ...forwardedOptions,
    resource,
    ...appArgs,
  ];
}
