import { expect, test } from "vitest";
import { currentPrefixes } from "./checked-prefixes.ts";
import { deprecatedKeys, deprecationOf } from "./deprecated-keys.ts";

const deprecated = (key: string, version: string) =>
  `The configuration key '${key}' has been deprecated as of Spark ${version} and may be removed in the future. `;

test("names the replacement of a deprecated key", () => {
  expect(deprecationOf("spark.yarn.keytab", "4.3")).toBe(
    `${deprecated("spark.yarn.keytab", "3.0")}Please use the new key 'spark.kerberos.keytab' instead.`,
  );
});

test("gives Spark's advice for a deprecated key without a replacement", () => {
  expect(deprecationOf("spark.yarn.services", "3.5")).toBe(
    `${deprecated("spark.yarn.services", "3.0.0")}Feature no longer available.`,
  );
});

test.each([
  ["3.5", "Please use spark.excludeOnFailure.timeout"],
  ["4.0", "Please use spark.excludeOnFailure.timeout"],
  ["4.1", "Not used anymore. Please use spark.excludeOnFailure.timeout"],
] as const)("Spark %s says of a blacklist: %s", (line, advice) => {
  expect(deprecationOf("spark.blacklist.timeout", line)).toBe(
    `${deprecated("spark.blacklist.timeout", "3.1.0")}${advice}`,
  );
});

test("reports a key as deprecated only from its first line on", () => {
  expect(deprecationOf("spark.shuffle.spill", "3.5")).toBeUndefined();
  expect(deprecationOf("spark.shuffle.spill", "4.0")).toBe(
    `${deprecated("spark.shuffle.spill", "1.6")}Not used anymore.`,
  );
});

test.each(["spark.kerberos.keytab", "spark.unheard.of", "spark.toString"])("nothing is said of %s", (key) => {
  expect(deprecationOf(key, "4.3")).toBeUndefined();
});

test("no deprecated key has a prefix of current keys, which are not looked up", () => {
  const isCurrent = (key: string) => currentPrefixes.some((prefix) => key.startsWith(prefix));
  expect(deprecatedKeys().filter(isCurrent)).toEqual([]);
  expect(deprecatedKeys()).toContain("spark.yarn.keytab");
});
