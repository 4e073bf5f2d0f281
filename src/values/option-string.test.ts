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
])("%j", (text, words) => {
  expect(parseOptionString(text)).toEqual(words);
});

test("words in single quotes come back as they are", () => {
  const word = fc.string().filter((text) => !text.includes("'"));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(parseOptionString(words.map((text) => `'${text}'`).join(" "))).toEqual(words);
    }),
  );
});
