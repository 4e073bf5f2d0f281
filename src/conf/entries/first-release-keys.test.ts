import { describe, expect, test } from "vitest";
import type { Setting } from "../setting.ts";
import { firstReleaseKeys, replaceFirstReleaseKeys } from "./first-release-keys.ts";
import { declaredEntries, isEntry } from "./topics.ts";

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

  test("name current keys as their replacements, except those that only the driver reads", () => {
    const current = new Set(declaredEntries().map((declared) => (isEntry(declared) ? declared.key : declared.prefix)));
    const replacements = firstReleaseKeys().flatMap(({ effect }) => ("to" in effect ? [effect.to] : []));
    expect(
      replacements.filter((key) => !current.has(key) && !key.startsWith("spark.kubernetes.authenticate.")),
    ).toEqual([]);
  });
});
