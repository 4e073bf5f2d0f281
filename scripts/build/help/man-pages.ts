import { parseUsage } from "../../../src/cli/completion/command-help.ts";
import { usageText } from "../../../src/command-line/usage.ts";
import { newestLine } from "../../../src/conf/spark-version.ts";
import type { CollectedHelp } from "./collect-help.ts";
import type { ManPage } from "./man-page.ts";

/** Builds the manual pages: of the program, of each of its commands, and of spark-submit. */
export function manPages(collected: readonly CollectedHelp[]): readonly ManPage[] {
  const [program, ...commands] = collected;
  if (program === undefined) return [];
  const summaries = new Map(
    program.help.blocks.flatMap((block) =>
      block.kind === "rows" ? block.rows.map(({ head, text }) => [head, text]) : [],
    ),
  );
  const own = commands.filter(({ path }) => !path.includes(" ") && path !== "submit");
  return [
    {
      ...{ name: "firesteel", summary: "submit Spark applications to Kubernetes, and manage them", help: program.help },
      ...{ commands: [], related: [...own.map(({ path }) => `firesteel-${path}`), "spark-submit"] },
    },
    ...own.map(({ path, help }) => ({
      ...{ name: `firesteel-${path}`, summary: summaries.get(path) ?? "", help },
      commands: commands
        .filter((command) => command.path.startsWith(`${path} `))
        .map((command) => ({ title: `firesteel ${command.path}`, help: command.help })),
      related: ["firesteel"],
    })),
    {
      ...{ name: "spark-submit", summary: "submit a Spark application", commands: [], related: ["firesteel"] },
      help: parseUsage(usageText({ line: newestLine })),
    },
  ];
}
