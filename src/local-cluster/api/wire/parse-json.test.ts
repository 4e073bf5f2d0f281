import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonSyntaxFault } from "./json-syntax.ts";
import { parseJson } from "./parse-json.ts";

describe("JSON", () => {
  // Messages of Kubernetes 1.35.4.
  test.each([
    ["", "unexpected end of JSON input"],
    ["   ", "unexpected end of JSON input"],
    ['{"a":"', "unexpected end of JSON input"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["/* x */{}", "invalid character '/' looking for beginning of value"],
    ["\u000b{}", "invalid character '\\v' looking for beginning of value"],
    ["\u001f{}", "invalid character '\\x1f' looking for beginning of value"],
    ["\u00a0{}", "invalid character 'Â' looking for beginning of value"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["{} x", "invalid character 'x' after top-level value"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["01", "invalid character '1' after top-level value"],
    ["+1", "invalid character '+' looking for beginning of value"],
    ["-a", "invalid character 'a' in numeric literal"],
    ["5.}", "invalid character '}' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["nul!", "invalid character '!' in literal null (expecting 'l')"],
    ["NaN", "invalid character 'N' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12"', "invalid character '\"' in \\u hexadecimal character escape"],
  ])("is rejected with Kubernetes' message: %j", (text, fault) => {
    expect(parseJson(text)).toEqual({ fault });
  });

  test.each([
    ["[", "]"],
    ['{"a":', "}"],
  ])("has at most 10,000 levels: %s", (open, close) => {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    expect(parseJson(nested(10_000))).toHaveProperty("value");
    const fault = `invalid character '${open.charAt(0)}' exceeded max depth`;
    expect(parseJson(nested(10_001))).toEqual({ fault });
    expect(parseJson(nested(1_400_000))).toEqual({ fault });
  });

  test("has no halves of characters, as in Go", () => {
    expect(parseJson(String.raw`["\ud800", "\udc00\ud800", "\ud83d\ude00", "\\ud800", "\ud800\n"]`)).toEqual({
      value: ["\ufffd", "\ufffd\ufffd", "😀", "\\ud800", "\ufffd\n"],
    });
  });

  test("is valid if and only if JSON.parse accepts it", { tags: "long" }, () => {
    const characters = fc.constantFrom(...'{}[]",:\\/abtrufnlse0123456789+-.eE \n\u00e9');
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: characters, maxLength: 12 })), (text) => {
        expect(jsonSyntaxFault(text) === undefined).toBe(isAccepted(text));
      }),
      { numRuns: 2000 },
    );
  });
});

function isAccepted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
