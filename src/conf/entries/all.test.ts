import { expect, test } from "vitest";
import { allEntries, allPrefixEntries } from "./all.ts";
import { defaultTextOf } from "./topics.ts";

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

test("every default is one that a user could write", () => {
  for (const { key, absent, defaultText } of allEntries) {
    expect(absent === undefined, key).toBe(
      defaultText === "(none)" || defaultText === "${spark.kubernetes.container.image}",
    );
  }
});

test("defaults stand for absent settings, fallbacks for references, and nothing for the rest", () => {
  expect(defaultTextOf("spark.driver.memory")).toBe("1g");
  expect(defaultTextOf("spark.jars")).toBe("");
  expect(defaultTextOf("spark.kubernetes.driver.container.image")).toBe(
    "${spark.kubernetes.container.image}",
  );
  expect(defaultTextOf("spark.kubernetes.driver.pod.name")).toBeUndefined();
  expect(defaultTextOf("spark.nobody.knows")).toBeUndefined();
});
