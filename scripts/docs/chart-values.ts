import { readFileSync } from "node:fs";
import { type GenericSchema, lazy, object, optional, parse, record, string, unknown } from "valibot";
import { code, generatedNote, table } from "./table.ts";

const source = "deploy/helm/firesteel/values.schema.json";

/** Value of the chart in its JSON schema: a group with `properties`, or a value with `default`. */
interface ChartValue {
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, ChartValue>> | undefined;
}

const chartValue: GenericSchema<ChartValue> = object({
  description: optional(string()),
  default: optional(unknown()),
  properties: optional(
    record(
      string(),
      lazy(() => chartValue),
    ),
  ),
});

/** Reads the values that a user can set, by name. */
function readChartValues(): readonly (readonly [string, ChartValue])[] {
  const { properties = {} } = parse(chartValue, JSON.parse(readFileSync(source, "utf8")));
  // Helm itself adds the values for all charts.
  return Object.entries(properties).filter(([name]) => name !== "global");
}

/** Builds the chart's `values.yaml`: the defaults of its schema, with the descriptions as comments. */
export function chartValuesFile(): string {
  const lines = readChartValues().flatMap(([name, value]) => ["", ...valueLines(name, value)]);
  return [`# Made from ${source} by \`npm run update:docs\`. Do not edit.`, ...lines, ""].join("\n");
}

function valueLines(name: string, { description = "", properties, ...value }: ChartValue): readonly string[] {
  const comment = wrap(description).map((line) => `# ${line}`);
  if (value.default !== undefined) return [...comment, `${name}: ${JSON.stringify(value.default)}`];
  const inner = Object.entries(properties ?? {}).flatMap(([key, property]) => valueLines(key, property));
  return [...comment, `${name}:`, ...inner.map((line) => `  ${line}`)];
}

/** Breaks a text into lines of at most 100 characters. */
function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const part of text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + part.length >= 100) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}

/** Builds `docs/helm-chart-values.md`. */
export function chartValuesPage(): string {
  const rows = readChartValues().flatMap(([name, value]) => valueRows(name, value));
  return `${[
    generatedNote(source),
    "# Values of the Helm chart",
    "The values of [the chart](helm-chart.md), with their defaults. The chart rejects values that are not listed here.",
    table(["value", "default", "meaning"], rows),
  ].join("\n\n")}\n`;
}

function valueRows(path: string, { description = "", properties, ...value }: ChartValue): readonly string[][] {
  if (value.default !== undefined) return [[code(path), code(JSON.stringify(value.default)), description]];
  return Object.entries(properties ?? {}).flatMap(([name, property]) => valueRows(`${path}.${name}`, property));
}
