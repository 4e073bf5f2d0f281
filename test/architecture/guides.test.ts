import { describe, expect, test } from "vitest";
import { checkedPrefixes, uncheckedPrefixes } from "../../src/conf/entries/checked-prefixes.ts";
import * as shuffle from "../../src/conf/entries/shuffle.ts";
import { knownKeys } from "../../src/conf/known-settings.ts";
import { stagingMetrics } from "../../src/staging-server/context/metrics.ts";
import { readIfThere } from "./sources.ts";

const page = (path: string) => readIfThere(path) ?? "";

describe("the monitoring page", () => {
  const text = page("docs/monitoring.md");
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => a.name.localeCompare(b.name);
  const printed = stagingMetrics({ freeBytes: () => 0 }, { unknownOwners: new Map() }).print();

  test("has a row for each metric of the staging server, with its type", async () => {
    const types = [...(await printed).text.matchAll(/^# TYPE (firesteel_\S+) (\w+)$/gm)];
    const rows = [...text.matchAll(/^\| `(firesteel_\w+)` \| (\w+) \|/gm)];
    const named = (matches: readonly RegExpExecArray[]) =>
      matches.map(([, name = "", type = ""]) => ({ name, type })).sort(byName);
    expect(named(rows)).toEqual(named(types));
  });

  test("names only metrics that the staging server exposes", async () => {
    const names = new Set([...(await printed).text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
    const used = text.match(/\b(?:firesteel|process|nodejs)_\w*[a-z](?![*\w])/g) ?? [];
    const series = used.map((name) => name.replace(/_(?:bucket|count|sum)$/, ""));
    expect(series.length).toBeGreaterThan(names.size / 3);
    expect(series.filter((name) => !names.has(name))).toEqual([]);
  });
});

/** Settings of Spark that only the doctor reads, or that Firesteel passes on without reading them. */
const ofSpark = [
  ...Object.values(shuffle).map(({ key }) => key),
  ...["spark.ui.prometheus.enabled", "spark.task.maxFailures", "spark.storage.decommission.fallbackStorage.path"],
  ...["spark.dynamicAllocation.executorIdleTimeout", "spark.dynamicAllocation.cachedExecutorIdleTimeout"],
];

const guides = ["dynamic-allocation", "monitoring", "production-checklist", "security-model", "upgrade-spark"];

test.each(guides.map((name) => `docs/${name}.md`))("%s names only settings that exist", (path) => {
  const known = [...knownKeys().keys(), ...ofSpark];
  const families = [...known.filter((key) => key.endsWith(".")), ...uncheckedPrefixes].filter(
    (prefix) => !Object.values<string>(checkedPrefixes).includes(prefix),
  );
  const named = page(path).match(/(?<![\w./-])spark\.[a-z][\w.*-]*\w(?![\w(/])/g) ?? [];
  const settings = named.filter((key) => !/\.(?:properties|apache\.\w+|conf)$/.test(key));
  expect(settings.filter((key) => !known.includes(key) && !families.some((prefix) => key.startsWith(prefix)))).toEqual(
    [],
  );
});
