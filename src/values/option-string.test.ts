import fc from "fast-check";
import { expect, test } from "vitest";
import { parseOptionString } from "./option-string.ts";

test.each([
  ["", []],
  ["  ", []],
  ["-Da=\"1 2\" -Db='3 4' -Dc=5\\ 6  -Dd=''", ["-Da=1 2", "-Db=3 4", "-Dc=5 6", "-Dd="]],
  ["''", [""]],
  ["'a\\'", ["a\\"]],
  ['"a\\"b"', ['a"b']],
  ["-Da='x", undefined],
  ["-Da=x\\", undefined],
])("splits %j", (text, args) => {
  expect(parseOptionString(text)).toEqual(args);
});

test("keeps the text in single quotes", () => {
  const arg = fc.string().filter((text) => !text.includes("'"));
  fc.assert(
    fc.property(fc.array(arg), (args) => {
      expect(parseOptionString(args.map((text) => `'${text}'`).join(" "))).toEqual(args);
    }),
  );
});
