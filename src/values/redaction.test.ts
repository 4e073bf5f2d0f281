import { expect, test } from "vitest";
import { parseRedactionRule, redact, redactedText, withoutPasswords } from "./redaction.ts";

const usual = /secret|password|token|access[.]?key/i;

test.each([
  ["spark.my.oauthToken", "z", redactedText],
  ["spark.p", "mypassword", redactedText],
  ["spark.hadoop.fs.s3a.access.key", "AKIA", redactedText],
  ["spark.hadoop.fs.s3a.accessKey", "AKIA", redactedText],
  ["spark.app.name", "pi", "pi"],
])("shows %s=%s as %s", (key, value, shown) => {
  expect(redact(usual, key, value)).toBe(shown);
});

test("parses rules in Java's syntax", () => {
  expect(parseRedactionRule("(?i)Token")).toEqual(/Token/i);
  expect(parseRedactionRule("a\\Q.b\\E+")).toEqual(/a\.b+/);
  expect(parseRedactionRule("")).toBeInstanceOf(RegExp);
});

test.each(["(", "a(?i)b", "a++", "(?x)a"])("a rule that we cannot follow is refused: %s", (text) => {
  expect(parseRedactionRule(text)).toBeUndefined();
});

test.each([
  ["https://u:p%40ss@h/x,https://:q@i/", `https://u:${redactedText}@h/x,https://:${redactedText}@i/`],
  ["jdbc:mysql://u:p:q@h:3306/db?a=b@c", `jdbc:mysql://u:${redactedText}@h:3306/db?a=b@c`],
  ["s3a://bucket/a:b@c", "s3a://bucket/a:b@c"],
  ["https://h:8443/x@y", "https://h:8443/x@y"],
  ["https://u@h/x", "https://u@h/x"],
])("hides the password in %s", (text, shown) => {
  expect(withoutPasswords(text)).toBe(shown);
});
