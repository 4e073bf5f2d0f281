import { optionHelp } from "../../src/command-line/option-help.ts";
import { type Option, options, type UsageGroup } from "../../src/command-line/options.ts";
import { groupTitles, optionSyntax } from "../../src/command-line/usage.ts";
import { newestLine } from "../../src/conf/spark-version.ts";
import { type FieldName, submitField } from "../../src/plan/submit-fields.ts";
import { code, generatedNote, table } from "./table.ts";

/** Builds `docs/command-line.md`. */
export function commandLinePage(): string {
  const sections = groupTitles(newestLine).flatMap(([group, title = "Always"]) => [`## ${title}`, optionTable(group)]);
  return `${[
    generatedNote("src/command-line/options.ts"),
    "# Command line",
    "```\nspark-submit [options] <app jar | python file | R file> [app arguments]\n```",
    [
      "The options are those of Apache's `spark-submit`, with the same syntax: `--name value` or `--name=value`, no abbreviations.",
      "Everything after the application belongs to the application. `firesteel submit` is the same program.",
      "",
      "An option overrides the setting in its second column. Of `--conf` and an option marked with *, the later one on the command",
      "line counts. As in Spark, an option has no effect for masters and modes that its third column does not list.",
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

function optionTable(group: UsageGroup): string {
  const rows = options.filter((option) => option.group === group).map(row);
  return table(["option", "setting, variable", "applies to", "meaning", "since Spark"], rows);
}

function row(option: Option): string[] {
  return [
    code(optionSyntax(option)),
    settingOf(option),
    appliesTo(option),
    optionHelp[option.flag] ?? "",
    option.since ?? "",
  ];
}

/** Prints the masters and deploy modes to which an option applies. */
function appliesTo(option: Option): string {
  if (option.group === "firesteel") return "Kubernetes, cluster mode";
  if (!("meaning" in option)) return option.switches === "supervise" ? "standalone (Mesos), cluster mode" : "all";
  if (option.meaning.kind === "action") return "Kubernetes, standalone (Mesos)";
  if (option.meaning.kind !== "field") return "all";
  if (appliedEverywhere.includes(option.meaning.field)) return "all";
  const { managers, modes = [] } = submitField(option.meaning.field);
  const masters = (managers ?? []).map((manager) => masterNames[manager]).join(", ");
  return [masters === "" ? "all" : masters, ...modes.map((mode) => `${mode} mode`)].join(", ");
}

/** Fields that apply to all masters, but not for every master through the setting in the table. */
const appliedEverywhere: readonly FieldName[] = [
  ...(["jars", "files", "archives", "pyFiles"] as const),
  ...(["packages", "packagesExclusions", "repositories"] as const),
];

const masterNames = {
  kubernetes: "Kubernetes",
  yarn: "YARN",
  standalone: "standalone",
  local: "local",
  mesos: "Mesos",
} as const;

function settingOf(option: Option): string {
  if (!("meaning" in option) || option.meaning.kind !== "field") return "";
  const { entry, variable } = submitField(option.meaning.field);
  const key = entry === undefined ? [] : [`${code(entry.key)}${option.meaning.isSetting ? " *" : ""}`];
  return [...key, ...(variable === undefined ? [] : [code(variable)])].join(", ");
}
