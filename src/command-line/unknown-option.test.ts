import { expect, test } from "vitest";
import { unknownOption } from "./unknown-option.ts";

const known = ["--executor-memory", "--executor-cores", "--conf", "-c", "--jars", "--name"];

test.each([
  ["--executor-memroy", "--executor-memory"],
  ["--executor_cores=3", "--executor-cores"],
  ["--Jars", "--jars"],
  ["--confg", "--conf"],
  ["-d", undefined],
  ["--", undefined],
  ["--blarg", undefined],
])("suggests for %s %s", (option, nearest) => {
  const { hint = "" } = unknownOption(option, known);
  expect(/^Did you mean (\S+)\?/.exec(hint)?.[1]).toBe(nearest);
});
