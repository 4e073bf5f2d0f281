import { expect, test } from "vitest";
import { optionHelp } from "./option-help.ts";
import { options } from "./options.ts";

test("every option has a description, and every description an option", () => {
  expect(Object.keys(optionHelp).sort()).toEqual(options.map(({ flag }) => flag).sort());
});
