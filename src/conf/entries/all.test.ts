import { expect, test } from "vitest";
import { allEntries, allPrefixEntries, defaultTexts } from "./all.ts";

test("each key and each prefix is declared once", () => {
  const keys = [...allEntries.map(({ key }) => key), ...allPrefixEntries.map(({ prefix }) => prefix)];
  expect(keys).toEqual([...new Set(keys)]);
  expect(keys.length).toBeGreaterThan(100);
});

test("every setting is described, and belongs to Spark or to us", () => {
  for (const { key, doc, since } of allEntries) {
    expect(doc, key).toMatch(/[.;]?[A-Za-z0-9`)][.;]?$/);
    expect(since, key).toMatch(key.startsWith("spark.firesteel.") ? /^firesteel$/ : /^\d+\.\d+\.\d+$/);
  }
  for (const { prefix } of allPrefixEntries) expect(prefix).toMatch(/^spark\..*\.$|^spark\.$/);
});

test("defaults stand for absent settings, fallbacks for references, and nothing for the rest", () => {
  expect(defaultTexts["spark.driver.memory"]).toBe("1g");
  expect(defaultTexts["spark.jars"]).toBe("");
  expect(defaultTexts["spark.kubernetes.driver.container.image"]).toBe("${spark.kubernetes.container.image}");
  expect(defaultTexts).not.toHaveProperty(["spark.kubernetes.driver.pod.name"]);
});
