import { expect, test } from "vitest";
import { allEntries, allPrefixEntries } from "./all.ts";
import { defaultTextOf } from "./topics.ts";

test("declares each key and each prefix once", () => {
  const keys = [...allEntries.map(({ key }) => key), ...allPrefixEntries.map(({ prefix }) => prefix)];
  expect(keys).toEqual([...new Set(keys)]);
  expect(keys.length).toBeGreaterThan(100);
});

test("describes every setting, which is Spark's or Firesteel's", () => {
  for (const { key, doc, since } of allEntries) {
    expect(doc, key).toMatch(/[.;]?[A-Za-z0-9`)][.;]?$/);
    expect(since, key).toMatch(key.startsWith("spark.firesteel.") ? /^firesteel$/ : /^\d+\.\d+\.\d+$/);
  }
  for (const { prefix } of allPrefixEntries) expect(prefix).toMatch(/^spark\..*\.$|^spark\.$/);
});

test("has only valid defaults", () => {
  for (const { key, absent, defaultText } of allEntries) {
    expect(absent === undefined, key).toBe(
      defaultText === "(none)" || defaultText === "${spark.kubernetes.container.image}",
    );
  }
});

test("resolves absent settings to defaults, fallbacks to references, and others to nothing", () => {
  expect(defaultTextOf("spark.driver.memory")).toBe("1g");
  expect(defaultTextOf("spark.jars")).toBe("");
  expect(defaultTextOf("spark.kubernetes.driver.container.image")).toBe("${spark.kubernetes.container.image}");
  expect(defaultTextOf("spark.kubernetes.driver.pod.name")).toBeUndefined();
  expect(defaultTextOf("spark.nobody.knows")).toBeUndefined();
});
