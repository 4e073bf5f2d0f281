import { expect, test } from "vitest";
import { applicationText, runWithFiles } from "./test-application.ts";

test("applications with the same driver are rejected", async () => {
  const files = { "a.yaml": applicationText(), "b.yaml": applicationText() };
  const { exit, error } = await runWithFiles(["apply", "-f", "a.yaml", "-f", "b.yaml"], files);
  expect(exit).toBe(1);
  expect(error).toBe(
    [
      "Error: b.yaml: name is pi, whose driver jobs:pi-driver is also that of another application in a.yaml.",
      "Hint: Give each application a name of its own.",
      "",
    ].join("\n"),
  );
});

test("--cluster excludes other options that select a cluster", async () => {
  const other = ["--master", "k8s://https://h", "--context", "c"];
  const { exit, error } = await runWithFiles(["apply", "-f", "a.yaml", "--cluster", "embedded", ...other], {
    "a.yaml": applicationText(),
  });
  expect(exit).toBe(1);
  expect(error).toContain("Error: --cluster and --master exclude each other.");
  expect(error).toContain("Error: --cluster and --context exclude each other.");
});
