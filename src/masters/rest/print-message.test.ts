import { expect, test } from "vitest";
import { printMessage } from "./print-message.ts";

test("prints a message in the layout of Spark's client", () => {
  const message = {
    success: true,
    map: { b: "2", a: 'say "\u00e4"\n' },
    empty: {},
    list: ["x", "y"],
    none: [],
    left: undefined,
  };
  expect(printMessage(message)).toBe(`{
  "empty" : { },
  "list" : [ "x", "y" ],
  "map" : {
    "a" : "say \\"\u00e4\\"\\n",
    "b" : "2"
  },
  "none" : [ ],
  "success" : true
}`);
});
