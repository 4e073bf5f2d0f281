import { type SparkLine, traitsOf } from "../conf/spark-version.ts";
import { optionHelp } from "./option-help.ts";
import { type Option, optionsOf, type UsageGroup } from "./options.ts";

const heads = [
  "Usage: spark-submit [options] <app jar | python file | R file> [app arguments]",
  "Usage: spark-submit --kill [submission ID] --master [spark://...]",
  "Usage: spark-submit --status [submission ID] --master [spark://...]",
  "Usage: spark-submit run-example [options] example-class [example args]",
];

const leftWidth = 28;
const width = 80;

/** Variants of the usage text. */
interface UsageOptions {
  readonly line: SparkLine;
  /** Replaces the first lines; Spark's shells set it in `_SPARK_CMD_USAGE`. */
  readonly head?: string | undefined;
}

/**
 * Builds the usage text. First lines, options and groups have Spark's order, for tools that search the text.
 *
 * Source: Spark SparkSubmitArguments.printUsageAndExit, except for the descriptions of the options.
 *
 * @example
 * ```ts
 * console.log(usageText({ line: "4.3" }));
 * ```
 */
export function usageText({ line, head = heads.join("\n") }: UsageOptions): string {
  const shown = optionsOf(line).filter(({ hidden }) => hidden !== true);
  const groups = groupTitles(line).map(([group, title]) => {
    const rows = shown.filter((option) => option.group === group).flatMap(optionLines);
    return [...(title === undefined ? [] : [` ${title}:`]), ...rows].join("\n");
  });
  return `${head}\n\nOptions:\n${groups.join("\n\n")}\n      \n`;
}

/** Returns the groups with their titles, in order; the first group has no title. */
export function groupTitles(line: SparkLine): readonly (readonly [UsageGroup, string | undefined])[] {
  const { mesos } = traitsOf(line);
  return [
    ["general", undefined],
    ["connect", "Spark Connect only"],
    ["cluster", "Cluster deploy mode only"],
    ["standaloneCluster", `Spark standalone${mesos ? " or Mesos" : ""} with cluster deploy mode only`],
    ["standaloneOrKubernetesCluster", `Spark standalone${mesos ? ", Mesos" : ""} or K8s with cluster deploy mode only`],
    ["standalone", `Spark standalone${mesos ? " and Mesos" : ""} only`],
    ["standaloneYarnKubernetes", "Spark standalone, YARN and Kubernetes only"],
    ["yarnKubernetes", "Spark on YARN and Kubernetes only"],
    ["yarn", "Spark on YARN only"],
    ["firesteel", "Firesteel only"],
  ];
}

/** Prints an option with its placeholder, e.g. `--conf, -c PROP=VALUE`. */
export function optionSyntax(option: Option): string {
  const names = option.alias === undefined ? option.flag : `${option.flag}, ${option.alias}`;
  return "value" in option ? `${names} ${option.value}` : names;
}

function optionLines(option: Option): readonly string[] {
  const left = `  ${optionSyntax(option)}`;
  const lines = wrap(optionHelp[option.flag] ?? "", width - leftWidth);
  const [first = "", ...more] = left.length < leftWidth ? lines : ["", ...lines];
  return [`${left.padEnd(leftWidth)}${first}`.trimEnd(), ...more.map((text) => " ".repeat(leftWidth) + text)];
}

function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const part of text.split(" ")) {
    if (current !== "" && current.length + 1 + part.length > columns) {
      lines.push(current);
      current = part;
    } else {
      current = current === "" ? part : `${current} ${part}`;
    }
  }
  return [...lines, current];
}
