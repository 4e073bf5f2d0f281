import { expect, test } from "vitest";
import { shortUserName } from "./auth-to-local.ts";

const realm = "EXAMPLE.COM";

test.each([
  ["ann@EXAMPLE.COM", "DEFAULT", "ann"],
  ["hdfs/host1@EXAMPLE.COM", "DEFAULT", "hdfs"],
  ["ann", "DEFAULT", "ann"],
  ["ann@OTHER.COM", "DEFAULT", undefined],
  ["a/b/c@EXAMPLE.COM", "DEFAULT", undefined],
  ["ann@OTHER.COM", "RULE:[1:$1@$0](.*@OTHER\\.COM)s/@.*//\nDEFAULT", "ann"],
  ["bob@EXAMPLE.COM", "RULE:[1:$1@$0](.*@OTHER\\.COM)s/@.*//\nDEFAULT", "bob"],
  ["Ann@EXAMPLE.COM", "RULE:[1:$1]/L", "ann"],
  ["nn/host1@EXAMPLE.COM", "RULE:[2:$1@$0](nn@EXAMPLE.COM)s/.*/hdfs/ DEFAULT", "hdfs"],
  ["nn/host1@EXAMPLE.COM", "RULE:[2:$1-$2]s/o/0/g DEFAULT", "nn-h0st1"],
  ["nn/host1@EXAMPLE.COM", "RULE:[1:$1]", undefined],
])("%s with the rules %j is %s", (principal, rules, name) => {
  expect(shortUserName(principal, rules, realm)).toBe(name);
});

test("each realm is the default one if the default is unknown", () => {
  expect(shortUserName("ann@OTHER.COM", "DEFAULT", undefined)).toBe("ann");
});

test("a malformed rule is an error", () => {
  expect(() => shortUserName("ann@OTHER.COM", "RULE:x", realm)).toThrow('"RULE:x" is not a rule');
});
