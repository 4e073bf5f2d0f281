import { describe, expect, test } from "vitest";
import { parseYaml } from "./yaml.ts";

const parse = (text: string) => parseYaml(Buffer.from(text));
const values = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));

/** Text whose size grows by a factor with each line. */
const growing = (lines: number, factor: number) =>
  values(
    lines,
    (line) => `a${line}: &a${line} [${line === 0 ? "lol" : values(factor, () => `*a${line - 1}`).join()}]`,
  ).join("\n");

describe("YAML", () => {
  test("is parsed as in Kubernetes: times stay strings, and yes is true", () => {
    expect(parse("a: 2026-01-02\nb: yes\nc: 010\nd: 0x10").value).toEqual({ a: "2026-01-02", b: true, c: 8, d: 16 });
    expect(parse("a: !!binary aGVsbG8=").value).toEqual({ a: "hello" });
    expect(parse("a: !!set {b, c}").value).toEqual({ a: { b: null, c: null } });
    expect(JSON.stringify(parse("<<: {__proto__: x}\nconstructor: z").value)).toBe(
      '{"__proto__":"x","constructor":"z"}',
    );
  });

  test("ends with its first document", { tags: "long" }, () => {
    expect(parse("# a\n%YAML 1.1\n---\na: 1\n---\nb: [").value).toEqual({ a: 1 });
    expect(parse("a: |\n  ---\nb: 1\n...\n]").value).toEqual({ a: "---\n", b: 1 });
    expect([parse("").value, parse("---\n---\na: 1").value, parse("--- a").value]).toEqual([{}, null, "a"]);
    expect(parse("---\n".repeat(700_000)).value).toBeNull();
  });

  // Messages of Kubernetes 1.35.4, except for those of the parser.
  test.each([
    ["a: [", /^yaml: /],
    ["a: *b", /^yaml: /],
    ["a: .inf", "json: unsupported value: +Inf"],
    ["a: -.inf", "json: unsupported value: -Inf"],
    ["a: .nan", "json: unsupported value: NaN"],
    ['a: "\u0000"', "yaml: control characters are not allowed"],
    ["a: \u007f", "yaml: control characters are not allowed"],
    ['a: "\\ud800"', "yaml: found invalid Unicode character escape code"],
    ["a: &a [*a]", "yaml: an anchor's value contains itself"],
    ["a: &a {b: {c: *a}}", "yaml: an anchor's value contains itself"],
    [growing(9, 9), "yaml: document contains excessive aliasing"],
    [growing(30, 2), "yaml: document contains excessive aliasing"],
    [
      `a: &a ${"x".repeat(100_000)}\nb: [${values(1000, () => "*a").join()}]`,
      "yaml: document contains excessive aliasing",
    ],
    [`a: &a {b: 1}\nc: {<<: [${values(1000, () => "*a").join()}]}`, /^yaml: abnormal merge/],
    [`${"[".repeat(1_000_000)}`, /^yaml: exceeded max depth of 500/],
    [`a: ${"{a: ".repeat(600)}1${"}".repeat(600)}`, /^yaml: exceeded max depth of 500/],
    [
      `a: &a ${"[".repeat(400)}${"]".repeat(400)}\nb: ${"[".repeat(400)}*a${"]".repeat(400)}`,
      /^yaml: exceeded max depth of 500/,
    ],
    ["? [a]\n: b", /^yaml: /],
  ])("is rejected: case %#", (text, fault) => {
    expect(parse(text)).toEqual({
      fault: typeof fault === "string" ? fault : expect.stringMatching(fault),
      repeated: [],
    });
  });

  test("is UTF-8", () => {
    expect(parseYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff])).fault).toBe("yaml: invalid leading UTF-8 octet");
    expect(parse("\ufeffa: é😀").value).toEqual({ a: "é😀" });
  });

  test("may contain some aliases, whose values are copies", () => {
    const { value } = parse(`a: &a [1]\nb: [${values(90, () => "*a").join()}]`);
    expect(value).toEqual({ a: [1], b: values(90, String).map(() => [1]) });
    expect(parse(growing(4, 4)).fault).toBeUndefined();
    expect(Object(value).b[0]).not.toBe(Object(value).a);
  });

  test("warns of duplicate keys", () => {
    expect(parse("a: 1\na: 2")).toEqual({ value: { a: 2 }, repeated: ['line 2: key "a" already set in map'] });
    expect(parse(`a: 1\na: .inf`).fault).toBe("json: unsupported value: +Inf");
  });
});
