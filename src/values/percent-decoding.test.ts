import { expect, test } from "vitest";
import { percentDecoded } from "./percent-decoding.ts";

test.each([
  ["p%40ss", "p@ss"],
  ["%E2%82%AC", "€"],
  ["50%", "50%"],
  ["%zz%2", "%zz%2"],
  ["%25zz", "%zz"],
  ["%ff", "\ufffd"],
  ["", ""],
])("decodes %j to %j", (text, decoded) => {
  expect(percentDecoded(text)).toBe(decoded);
});
