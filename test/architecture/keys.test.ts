import { expect, test } from "vitest";
import { allEntries } from "../../src/conf/entries/all.ts";
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

test("no two settings have the same key", () => {
  const keys = allEntries.map(({ key }) => key);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
