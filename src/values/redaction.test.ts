import { expect, test } from "vitest";
import { parseRedactionRule, redact, redactedText } from "./redaction.ts";

const usual = /secret|password|token|access[.]?key/i;

test.each([
  ["spark.my.oauthToken", "z", redactedText],
  ["spark.p", "mypassword", redactedText],
  ["spark.hadoop.fs.s3a.access.key", "AKIA", redactedText],
  ["spark.hadoop.fs.s3a.accessKey", "AKIA", redactedText],
  ["spark.app.name", "pi", "pi"],
])("%s=%s is shown as %s", (key, value, shown) => {
  expect(redact(usual, key, value)).toBe(shown);
});

test("rules are read in Java's grammar", () => {
  expect(parseRedactionRule("(?i)Token")).toEqual(/Token/i);
  expect(parseRedactionRule("a\\Q.b\\E+")).toEqual(/a\.b+/);
  expect(parseRedactionRule("")).toBeInstanceOf(RegExp);
});

test.each(["(", "a(?i)b", "a++", "(?x)a"])("a rule that we cannot follow is refused: %s", (text) => {
  expect(parseRedactionRule(text)).toBeUndefined();
});
