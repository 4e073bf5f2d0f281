import { expect, test } from "vitest";
import { lineOfKey } from "./line-of-key.ts";

const text = "# spark.a=0\nspark.a 1\nspark.b=2 \\\n  spark.c=3\n\nspark.a: 4\r\nspark.d=5";

test.each([
  ["spark.a", 6],
  ["spark.b", 3],
  ["spark.c", undefined],
  ["spark.d", 7],
])("finds %s in line %j", (key, line) => {
  expect(lineOfKey(text, key)).toBe(line);
});
