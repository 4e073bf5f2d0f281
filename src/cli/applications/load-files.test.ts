import { expect, test } from "vitest";
import { applicationText, runWithFiles } from "../commands/test-application.ts";

test("the problems of all files and documents are reported together", async () => {
  const files = {
    "a.yaml": `${applicationText("  driver: 1")}---\n${applicationText("  executor: 1")}`,
    "b.yaml": "",
    "c.yaml": applicationText(),
    "d.yaml": applicationText(),
  };
  const named = ["a.yaml", "missing.yaml", "b.yaml", "c.yaml", "d.yaml"].flatMap((file) => ["-f", file]);
  const { exit, out, error } = await runWithFiles(["delete", ...named], files);
  expect([exit, out]).toEqual([1, ""]);
  expect(error.split("\n").filter((line) => line.startsWith("Error: "))).toEqual([
    expect.stringContaining("a.yaml: spec.driver "),
    expect.stringContaining("a.yaml: spec.executor "),
    expect.stringContaining("Cannot read missing.yaml"),
    expect.stringContaining("b.yaml contains nothing"),
    expect.stringContaining(
      "d.yaml: name is pi, whose driver jobs:pi-driver is also that of another application in c.yaml",
    ),
  ]);
});
