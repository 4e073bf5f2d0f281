import { expect, test } from "vitest";
import { sources } from "./sources.ts";

/** File names that only look like settings. */
const fileNames = ["spark.properties"];

test("a setting's key is written in src/conf/entries only", () => {
  const found = sources()
    .filter(({ path, isTest }) => !isTest && !path.startsWith("src/conf/entries/"))
    .flatMap(({ path, strings }) =>
      strings
        .filter((text) => /^spark\.[a-zA-Z]/.test(text) && !fileNames.includes(text))
        .map((text) => `${path}: ${text}`),
    );
  expect(found).toEqual([]);
});

test("no key is written twice in src/conf/entries", () => {
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const { path, strings, isTest } of sources()) {
    if (isTest || !path.startsWith("src/conf/entries/")) continue;
    for (const key of strings.filter((text) => /^spark\.[a-zA-Z.]+$/.test(text))) {
      if (seen.has(key)) twice.push(`${key} in ${seen.get(key)} and ${path}`);
      seen.set(key, path);
    }
  }
  expect(twice).toEqual([]);
});
