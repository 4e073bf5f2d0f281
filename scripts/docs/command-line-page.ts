import { type Option, options, type UsageGroup } from "../../src/command-line/options.ts";
import { groupTitles, optionSyntax } from "../../src/command-line/usage.ts";
import { newestLine } from "../../src/conf/spark-version.ts";
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
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

function optionTable(group: UsageGroup): string {
  const rows = options.filter((option) => option.group === group).map(row);
  return table(["option", "meaning", "since Spark"], rows);
}

function row(option: Option): string[] {
  return [code(optionSyntax(option)), option.help, option.since ?? ""];
}
