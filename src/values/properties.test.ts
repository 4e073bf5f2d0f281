import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProperties, printProperties } from "./properties.ts";

function read(text: string): Record<string, string> | string {
  const parsed = parseProperties(text);
  return parsed.ok ? Object.fromEntries(parsed.entries) : parsed.reason;
}

test.each<[string, string, Record<string, string>]>([
  ["three separators", "a=1\nb: 2\nc 3", { a: "1", b: "2", c: "3" }],
  ["one separator only", "a = = b\nc  :d", { a: "= b", c: "d" }],
  ["whitespace before a key is dropped, and after a value is kept", " \t a  v  ", { a: "v  " }],
  ["comments and empty lines", "#x\n  !y\n\n \na=#z", { a: "#z" }],
  ["all line ends", "a=1\rb=2\r\nc=3\n", { a: "1", b: "2", c: "3" }],
  ["continued lines", "a=1\\\n   2\\\n#3\nb=4", { a: "12#3", b: "4" }],
  ["a backslash that is escaped does not continue", "a=1\\\\\nb=2", { a: "1\\", b: "2" }],
  ["a comment after a lone backslash", "\\\n#x\na=1", { a: "1" }],
  ["escapes", "a\\ b=\\t\\n\\r\\f\\\\\\z\\u00e9", { "a b": "\t\n\r\f\\zé" }],
  ["escaped separators belong to the key", "a\\=b\\:c=d", { "a=b:c": "d" }],
  ["a key alone", "a", { a: "" }],
  ["later duplicates", "a=1\na=2", { a: "2" }],
])("parses %s", (_name, text, entries) => {
  expect(read(text)).toEqual(entries);
});

test.each(["a=\\u12", "a=\\uzzzz", "\\u=1"])("rejects a malformed escape with Java's message: %s", (text) => {
  expect(read(text)).toBe("Malformed \\uxxxx encoding.");
});

test("prints comments, then sorted settings as Spark escapes them", () => {
  const entries = new Map([
    ["spark.b", "x=y:z #! tail "],
    ["spark.a", " lead\té"],
    ["k 1", ""],
  ]);
  expect(printProperties({ comments: ["first", "second"], entries })).toBe(
    "#first\n#second\nk\\ 1=\nspark.a=\\ lead\\té\nspark.b=x\\=y\\:z \\#\\! tail \n",
  );
});

test("parses printed properties", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme", minLength: 1 }), fc.string()), (settings) => {
      const entries = new Map(Object.entries(settings));
      expect(parseProperties(printProperties({ comments: ["x"], entries }))).toEqual({ ok: true, entries });
    }),
  );
});

test("parses a lone trailing backslash as an empty key, unless CR LF follows", () => {
  const keys = (text: string) => {
    const read = parseProperties(text);
    return read.ok ? [...read.entries.keys()] : read.reason;
  };
  expect([keys("\\\n"), keys("\\\r\n"), keys("a\\\r\n")]).toEqual([[""], [], ["a"]]);
});

test.each([
  ["backslashes", `a=${"\\".repeat(200_000)}b`, `${"\\".repeat(100_000)}b`],
  ["continued lines", `a=${"b\\\n".repeat(200_000)}`, "b".repeat(200_000)],
])("takes linear time for a value of many %s", (_what, text, value) => {
  expect(read(text)).toEqual({ a: value });
});

test("rejects any text or parses it to properties that can be printed and parsed again", () => {
  const piece = fc.constantFrom(
    ...["\\", "\n", "\r", "\r\n", "\t", " ", "\f", "=", ":", "#", "!"],
    ...["u", "00e9", "n", "key", "__proto__", "é", "😀", "\u2028", "\0"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const read = parseProperties(pieces.join(""));
      if (!read.ok) expect(pieces.join("")).toContain("\\u");
      else expect(parseProperties(printProperties({ comments: [], entries: read.entries }))).toEqual(read);
    }),
    { numRuns: 1000 },
  );
});
