import { describe, expect, test } from "vitest";
import type { Result } from "../errors/issue.ts";
import { type ConfEntry, entry, fallbackEntry, type Kind } from "./entry.ts";
import {
  boolean,
  bytes,
  checked,
  double,
  duration,
  expression,
  integer,
  list,
  long,
  lowered,
  oneOf,
  rawInteger,
  serverUrl,
} from "./kinds.ts";
import { type SparkLine, traitsOf } from "./spark-version.ts";

const key = "spark.some.key";

type Reader<T> = Pick<Kind<T>, "parse">;

function read<T>(kind: Reader<T>, text: string, line: SparkLine = "4.3"): T | string {
  return shown(kind.parse(text, { key, traits: traitsOf(line) }));
}

function shown<T>(result: Result<T>): T | string {
  return result.ok ? result.value : result.issues.map(({ message }) => message).join("\n");
}

const invalid = (condition: string, value: string, requirement: string) =>
  `[INVALID_CONF_VALUE.${condition}] The value '${value}' in the config "${key}" is invalid. ${requirement} SQLSTATE: 22022`;

test("no message contains the password of an address", () => {
  expect(read(serverUrl, "http://me:s3cret@host")).toBe(
    invalid("REQUIREMENT", "http://me:*********(redacted)@host", "Must be an http or https URL, without a user."),
  );
});

describe("valid texts", () => {
  test.each<[string, Reader<unknown>, string, unknown]>([
    ["booleans in either case", boolean, " TRUE ", true],
    ["integers with whitespace and sign", integer, " +7 ", 7],
    ["long numbers", long, "1048576000000", 1_048_576_000_000],
    ["numbers as Java reads them", double, "1e-1d", 0.1],
    ["sizes in the unit of the setting", bytes("MiB"), "2", 2],
    ["sizes with a unit, cut", bytes("MiB"), "1500K", 1],
    ["negative sizes", bytes("MiB"), "-1g", -1024],
    ["times", duration("ms"), "2min", 120_000],
    ["times in seconds, cut", duration("s"), "1999ms", 1],
    ["lists without whitespace", list, " a, ,b ,", ["a", "b"]],
    ["an empty list", list, "", []],
    ["one of several words", oneOf(["a", "b"]), "b", "b"],
    ["words in either case", lowered(oneOf(["a"])), "A", "a"],
    ["an expression with Java's flags", expression, "(?i)pass", /pass/i],
  ])("%s", (_name, kind, text, value) => {
    expect(read(kind, text)).toEqual(value);
  });
});

describe("invalid texts", () => {
  test.each<[Reader<unknown>, string, string, string]>([
    [boolean, "yes", "boolean", `${key} should be boolean, but was yes`],
    [integer, "2147483648", "int", `${key} should be int, but was 2147483648`],
    [long, "1.0", "long", `${key} should be long, but was 1.0`],
    [double, "a", "double", `${key} should be double, but was a`],
    [expression, "(", "regex", `${key} should be a regex, but was (`],
  ])("of the wrong type are rejected, %#", (kind, text, type, old) => {
    expect(read(kind, text)).toBe(invalid("TYPE_MISMATCH", text, `It should be a/an '${type}' value.`));
    expect(read(kind, text, "4.0")).toBe(old);
  });

  test("of sizes and times have a message with the format", () => {
    expect(read(bytes("MiB"), "12x")).toBe(invalid("TYPE_MISMATCH", "12x", "It should be a/an 'bytes in MiB' value."));
    expect(read(bytes("MiB"), "12x", "3.5")).toMatch(/^Size must be specified as bytes .*\nInvalid suffix: "x"$/);
    expect(read(duration("s"), "soon")).toBe(
      invalid("TYPE_MISMATCH", "soon", "It should be a/an 'time in SECONDS' value."),
    );
    expect(read(duration("ms"), "soon", "3.5")).toMatch(
      /^Time must be specified as seconds .*\nFailed to parse time string: soon$/,
    );
  });

  test("include sizes such as 1KiB before 4.2", () => {
    expect(read(bytes("MiB"), "1GiB", "4.2")).toBe(1024);
    expect(read(bytes("MiB"), "1GiB", "4.1")).toContain("INVALID_CONF_VALUE");
  });

  test("of ports have a message of their own", () => {
    expect(read(rawInteger, " 1")).toBe(`Illegal value for config key ${key}: For input string: " 1"`);
  });

  test("of choices have a message with the allowed choices", () => {
    expect(read(oneOf(["a", "b"]), "c")).toBe(invalid("OUT_OF_RANGE_OF_OPTIONS", "c", "It should be one of 'a, b'."));
    expect(read(oneOf(["a", "b"]), "c", "4.0")).toBe(`The value of ${key} should be one of a, b, but was c`);
  });

  test.each<[Kind<number>, string, string, string]>([
    [double, "0", "0.0", "0.0"],
    [double, "-1", "-1.0", "-1.0"],
    [duration("ms"), "0", "0ms", "0"],
    [duration("s"), "-1s", "-1000ms", "-1"],
    [bytes("MiB"), "0g", "0b", "0"],
    [integer, "-3", "-3", "-3"],
  ])("that fail a requirement have a message with the parsed value, %#", (kind, text, since41, before) => {
    const positive = checked(kind, (value) => value > 0, "Must be positive.");
    expect(read(positive, text)).toBe(invalid("REQUIREMENT", since41, "Must be positive."));
    expect(read(positive, text, "4.0")).toBe(`'${before}' in ${key} is invalid. Must be positive.`);
  });
});

test("each reason for a rejection has its code", () => {
  const context = { key, traits: traitsOf("4.3") };
  const never = checked(integer, () => false, "Never.");
  const results = [integer.parse("x", context), never.parse("1", context), oneOf(["a"]).parse("b", context)];
  expect(results.map((result) => (result.ok ? "" : result.issues[0]?.code))).toEqual([
    "SUBMIT_ERR_SETTING_TYPE",
    "SUBMIT_ERR_SETTING_VALUE",
    "SUBMIT_ERR_SETTING_CHOICE",
  ]);
});

describe("entries", () => {
  const target: ConfEntry<boolean> = entry(boolean, {
    key: "spark.target",
    doc: "",
    since: "1.0.0",
    default: "false",
  });

  test("throw for an invalid default", () => {
    const broken = entry(boolean, { key, doc: "", since: "1.0.0", default: "no" });
    expect(() => broken.absent).toThrow(key);
  });

  test("report the key of the fallback, as Spark does", () => {
    const fallback = fallbackEntry(target, { key, doc: "", since: "4.3.0" });
    expect(fallback.alternatives).toEqual(["spark.target"]);
    expect(shown(fallback.parse("maybe", { key, traits: traitsOf("4.3") }))).toContain('in the config "spark.target"');
  });
});
