import { type Option, options, type UsageGroup } from "../../src/command-line/options.ts";
import { groupTitles, optionSyntax } from "../../src/command-line/usage.ts";
import { newestLine } from "../../src/conf/spark-version.ts";
import { type FieldName, submitField } from "../../src/plan/submit-fields.ts";
import { code, generatedNote, table } from "./table.ts";

/** `docs/command-line.md`. */
export function commandLinePage(): string {
  const sections = groupTitles(newestLine).flatMap(([group, title = "Always"]) => [
    `## ${title}`,
    optionTable(group),
  ]);
  return `${[
    generatedNote("src/command-line/options.ts"),
    "# Command line",
    "```\nspark-submit [options] <app jar | python file | R file> [app arguments]\n```",
    [
      "The options are those of Apache's `spark-submit`, and are read as it reads them: `--name value` or `--name=value`, no",
      "abbreviations, and everything after the application belongs to the application. `firesteel submit` is the same program.",
      "",
      "An option wins over the setting it stands for; of `--conf` and the options marked with *, the later one on the line wins.",
      "Options for other masters and modes are ignored, as Spark ignores them: an option counts where its third column says so.",
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
    meansSetting(option),
    appliesTo(option),
    option.help,
    option.since ?? "",
  ];
}

/** The masters and deploy modes in which an option counts. */
function appliesTo(option: Option): string {
  if (option.group === "firesteel") return "Kubernetes, cluster mode";
  if (!("meaning" in option))
    return option.switches === "supervise" ? "standalone (Mesos), cluster mode" : "all";
  if (option.meaning.kind === "action") return "Kubernetes, standalone (Mesos)";
  if (option.meaning.kind !== "field") return "all";
  if (carriedOtherwise.includes(option.meaning.field)) return "all";
  const { managers, modes = [] } = submitField(option.meaning.field);
  const masters = (managers ?? []).map((manager) => masterNames[manager]).join(", ");
  return [masters === "" ? "all" : masters, ...modes.map((mode) => `${mode} mode`)].join(", ");
}

/** They count everywhere, though not everywhere as the setting that the table names. */
const carriedOtherwise: readonly FieldName[] = [
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

function meansSetting(option: Option): string {
  if (!("meaning" in option) || option.meaning.kind !== "field") return "";
  const { entry, variable } = submitField(option.meaning.field);
  const key = entry === undefined ? [] : [`${code(entry.key)}${option.meaning.isSetting ? " *" : ""}`];
  return [...key, ...(variable === undefined ? [] : [code(variable)])].join(", ");
}
