import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { readSettings } from "../../resolve/read-settings.ts";
import { ignoredSettings, knownKeys, misspelledSettings } from "../known-settings.ts";
import type { Setting } from "../setting.ts";
import { SparkConf } from "../spark-conf.ts";
import { firstReleaseKeys, replaceFirstReleaseKeys } from "./first-release-keys.ts";
import { firstReleaseNamespace } from "./first-release-namespace.ts";
import { allFirstReleaseKeys } from "./test-first-release-keys.ts";
import { declaredEntries, isEntry } from "./topics.ts";

/** Whether Firesteel or a driver reads a key, or one of its family. */
function isKnown(key: string): boolean {
  const known = [...knownKeys().keys(), ...declaredEntries().flatMap((one) => (isEntry(one) ? one.alternatives : []))];
  return known.some((name) => name === key || (name.endsWith(".") && key.startsWith(name)));
}

function written(settings: Readonly<Record<string, string>>): readonly Setting[] {
  return Object.entries(settings).map(([key, value]) => ({ key, value, origin: { kind: "conf" } }));
}

function replace(settings: Readonly<Record<string, string>>) {
  const {
    settings: current,
    warnings,
    issues,
  } = replaceFirstReleaseKeys(written(settings), { firstReleaseKeys: "replaced" });
  return { current: Object.fromEntries(current.map(({ key, value }) => [key, value])), warnings, issues };
}

describe("keys of the first releases", () => {
  test("are replaced by the current ones, with a warning", () => {
    expect(replace({ "spark.kubernetes.driver.docker.image": "spark:1", "spark.app.name": "a" })).toEqual({
      current: { "spark.app.name": "a", "spark.kubernetes.driver.container.image": "spark:1" },
      warnings: [
        "The setting spark.kubernetes.driver.docker.image of the first releases is deprecated. Please use spark.kubernetes.driver.container.image instead.",
      ],
      issues: [],
    });
  });

  test("give way to a current key", () => {
    const { current, warnings } = replace({
      "spark.kubernetes.docker.image.pullPolicy": "Always",
      "spark.kubernetes.container.image.pullPolicy": "Never",
    });
    expect(current).toEqual({ "spark.kubernetes.container.image.pullPolicy": "Never" });
    expect(warnings[0]).toMatch(/ It is ignored, because spark\.kubernetes\.container\.image\.pullPolicy is set\.$/);
  });

  test("with lists become one setting for each name", () => {
    expect(
      replace({ "spark.kubernetes.driver.labels": "a=1, b/c=x=y", "spark.kubernetes.driver.label.a": "2" }),
    ).toEqual({
      current: { "spark.kubernetes.driver.label.a": "2", "spark.kubernetes.driver.label.b/c": "x=y" },
      warnings: [
        expect.stringContaining("Please use spark.kubernetes.driver.label.NAME instead. It is ignored, because"),
      ],
      issues: [],
    });
  });

  test.each(["a", "a=1,b", "=1", "a=1,"])("with the list %j are rejected", (value) => {
    const { current, issues } = replace({ "spark.kubernetes.executor.annotations": value });
    expect([current, issues.map(({ code }) => code)]).toEqual([{}, ["SUBMIT_ERR_SETTING_VALUE"]]);
  });

  test("with a current name and seconds get the unit, if the number is none of milliseconds", () => {
    const key = "spark.kubernetes.allocation.batch.delay";
    expect(replace({ [key]: "1" })).toEqual({
      current: { [key]: "1s" },
      warnings: [
        `The number 1 of ${key} is read as seconds, as in the first releases. This form is deprecated. Please use 1s instead.`,
      ],
      issues: [],
    });
    for (const value of ["2000", "1s", "500ms", "soon"])
      expect(replace({ [key]: value })).toEqual({ current: { [key]: value }, warnings: [], issues: [] });
  });

  test("with seconds keep the duration", () => {
    const timeout = (value: string) => replace({ "spark.kubernetes.driverSubmissionTimeout": value }).current;
    expect([timeout("60"), timeout("2min")]).toEqual([
      { "spark.firesteel.staging.push.timeout": "60s" },
      { "spark.firesteel.staging.push.timeout": "2min" },
    ]);
  });

  test("with minutes keep the duration", () => {
    const timeout = (value: string) => replace({ "spark.kubernetes.mountdependencies.mountTimeout": value }).current;
    expect([timeout("5"), timeout("90s")]).toEqual([
      { "spark.firesteel.staging.initContainer.timeout": "5min" },
      { "spark.firesteel.staging.initContainer.timeout": "90s" },
    ]);
  });

  test("without an effect are removed, with the reason", () => {
    const { current, warnings } = replace({ "spark.kubernetes.shuffle.labels": "a=b" });
    expect(current).toEqual({});
    expect(warnings).toEqual([
      "The setting spark.kubernetes.shuffle.labels of the first releases has no effect: Spark's executors on Kubernetes use no external shuffle service; shuffle tracking replaces it for dynamic allocation.",
    ]);
  });

  test("of the shuffle service replace it with shuffle tracking", () => {
    const service = { "spark.shuffle.service.enabled": "true" };
    const { current, warnings } = replace({ ...service, "spark.kubernetes.shuffle.namespace": "default" });
    expect(current).toEqual({ "spark.dynamicAllocation.shuffleTracking.enabled": "true" });
    expect(warnings[1]).toMatch(
      /^The setting spark\.shuffle\.service\.enabled is replaced by spark\.dynamicAllocation\.shuffleTracking\.enabled, /,
    );
    expect(replace(service).current).toEqual(service);
  });

  test("are named by the option that sets them", () => {
    const origin = { kind: "option", option: "--kubernetes-namespace" } as const;
    const { settings, warnings } = replaceFirstReleaseKeys(
      [{ key: "spark.kubernetes.submit.namespace", value: "jobs", origin }],
      { firstReleaseKeys: "replaced" },
    );
    expect(settings).toEqual([{ key: "spark.kubernetes.namespace", value: "jobs", origin }]);
    expect(warnings[0]).toMatch(/^The option --kubernetes-namespace .* use spark\.kubernetes\.namespace instead\.$/);
  });

  test("differ from the current keys", () => {
    const current = new Set(declaredEntries().map((declared) => (isEntry(declared) ? declared.key : declared.prefix)));
    const replaced = firstReleaseKeys().filter(({ effect }) => effect.kind !== "seconds");
    expect(replaced.filter(({ key }) => current.has(key))).toEqual([]);
  });

  test.for(allFirstReleaseKeys)("include %s: served, replaced, or without an effect for a reason", (family) => {
    const key = family.endsWith(".") ? `${family}some` : family;
    const value = /labels$|annotations$/.test(key) ? "a=1" : "1";
    const commandLine = {
      fields: {},
      settings: written({ [key]: value }),
      propertiesFile: undefined,
      extraPropertiesFiles: [],
    };
    const { settings, warnings } = readSettings(testHost({ env: {} }), {
      ...{ ...commandLine, loadsDefaults: false, supervise: false, verbose: false },
    });
    const read = new SparkConf(
      settings.values(),
      { text: "4.3.0", line: "4.3" },
      { env: {}, defaults: () => undefined },
    );
    expect([...ignoredSettings(read), ...misspelledSettings(read)]).toEqual([]);
    const isServed = [...settings.keys()].every((name) => isKnown(name));
    expect({ isServed, isExplained: warnings.length > 0 || settings.has(key) }).toEqual({
      ...{ isServed: true, isExplained: true },
    });
    const page = readFileSync("docs/first-release-settings.md", "utf8");
    expect(page.split("`").some((text) => text === family || (text.endsWith(".") && family.startsWith(text)))).toBe(
      key !== firstReleaseNamespace,
    );
  });

  test("name current keys as their replacements, except those that only the driver reads", () => {
    const current = new Set(declaredEntries().map((declared) => (isEntry(declared) ? declared.key : declared.prefix)));
    const replacements = firstReleaseKeys().flatMap(({ effect }) => ("to" in effect ? [effect.to] : []));
    expect(
      replacements.filter((key) => !current.has(key) && !key.startsWith("spark.kubernetes.authenticate.")),
    ).toEqual([]);
  });
});
