import { firesteelSettings } from "../conf/entries/firesteel.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import type { FieldName } from "../plan/submit-fields.ts";
import { options, type ValueOption } from "./options.ts";

/** What goes into the words of a submission besides what was said. */
export interface WordsOptions {
  /** Options and settings that are not said again. @default none */
  readonly leavesOut?: readonly string[];
  /** Jars that go along. @default none */
  readonly jars?: readonly string[];
}

/** Said first, in this order. */
const first: readonly FieldName[] = ["master", "remote", "deployMode"];

/**
 * A submission as words again, in the order in which Spark's launcher hands them to the JVM. Options of ours are no business of
 * Spark's.
 *
 * Source: Spark SparkSubmitCommandBuilder.buildSparkSubmitArgs; recorded with 3.5.9 to 4.3.0.
 */
export function submitWords(
  invocation: SubmitInvocation,
  { leavesOut = [], jars = [] }: WordsOptions = {},
): readonly string[] {
  const { settings, propertiesFile, extraPropertiesFiles, resource, appArgs } = invocation;
  const said = (name: FieldName) => wordsOf(invocation, name, leavesOut);
  const kept = settings.filter(
    ({ key }) => !leavesOut.includes(key) && !key.startsWith(firesteelSettings.prefix),
  );
  const others = Object.keys(invocation.fields)
    .filter(isFieldWithOption)
    .filter((name) => !first.includes(name) && name !== "mainClass");
  return [
    ...first.flatMap(said),
    ...kept.flatMap(({ key, value }) => ["--conf", `${key}=${value}`]),
    ...(propertiesFile === undefined ? [] : ["--properties-file", propertiesFile]),
    ...extraPropertiesFiles.flatMap((path) => ["--extra-properties-file", path]),
    ...(invocation.loadsDefaults ? ["--load-spark-defaults"] : []),
    ...(jars.length === 0 ? [] : ["--jars", jars.join(",")]),
    ...said("mainClass"),
    ...others.flatMap(said),
    ...(invocation.supervise ? ["--supervise"] : []),
    ...(invocation.verbose ? ["--verbose"] : []),
    resource,
    ...appArgs,
  ];
}

function isFieldWithOption(name: string): name is FieldName {
  return fieldOptions.some((field) => field === name);
}

const fieldOptions: readonly FieldName[] = options.flatMap((option) => {
  const { meaning } = valueOption(option) ?? {};
  return meaning?.kind === "field" && meaning.isSetting !== true ? [meaning.field] : [];
});

function valueOption(option: (typeof options)[number]): ValueOption | undefined {
  return "value" in option ? option : undefined;
}

function wordsOf(
  { fields }: SubmitInvocation,
  name: FieldName,
  leavesOut: readonly string[],
): readonly string[] {
  const value = fields[name];
  const flag = options.find((option) => {
    const { meaning } = valueOption(option) ?? {};
    return meaning?.kind === "field" && meaning.field === name;
  })?.flag;
  return value === undefined || flag === undefined || leavesOut.includes(flag) ? [] : [flag, value];
}
