import { allEntries, allPrefixEntries } from "../../src/conf/entries/all.ts";
import type { ConfEntry, PrefixEntry } from "../../src/conf/entry.ts";
import { code, generatedNote, table } from "./table.ts";

const subjects: readonly (readonly [title: string, keys: RegExp])[] = [
  ["Firesteel's own", /^spark\.firesteel\./],
  ["Driver", /^spark\.(kubernetes\.)?(driver|legacy\.driver)\b/],
  ["Executors", /^spark\.(kubernetes\.)?(executor|executorEnv|dynamicAllocation|decommission)\b/],
  ["Kubernetes", /^spark\.kubernetes\./],
  ["Application", /^spark\./],
];

/** Builds `docs/configuration.md`. */
export function configurationPage(): string {
  const rest = new Set<ConfEntry<unknown> | PrefixEntry>([...allEntries, ...allPrefixEntries]);
  const sections = subjects.flatMap(([title, keys]) => {
    const chosen = [...rest].filter((entry) => keys.test(nameOf(entry)));
    for (const entry of chosen) rest.delete(entry);
    const rows = chosen.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).map(row);
    return rows.length === 0 ? [] : [`## ${title}`, table(["setting", "default", "meaning", "since"], rows)];
  });
  return `${[
    generatedNote("src/conf/entries"),
    "# Configuration",
    [
      "Firesteel reads these settings. It passes all other settings that begin with `spark.` to the driver unchanged. Settings come",
      "from `--conf`, from a properties file and from `spark-defaults.conf`: the first of these that contains a key counts.",
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

function row(entry: ConfEntry<unknown> | PrefixEntry): string[] {
  if ("prefix" in entry) return [code(`${entry.prefix}<name>`), "", entry.doc, entry.since];
  const others = entry.alternatives.length === 0 ? "" : ` Else: ${entry.alternatives.map(code).join(", ")}.`;
  return [code(entry.key), code(entry.defaultText), entry.doc + others, entry.since];
}

function nameOf(entry: ConfEntry<unknown> | PrefixEntry): string {
  return "prefix" in entry ? `${entry.prefix}<name>` : entry.key;
}
