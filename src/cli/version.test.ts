import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { firesteelVersion, printVersion } from "./version.ts";

test("firesteelVersion is the version of package.json", () => {
  const url = new URL("../../package.json", import.meta.url);
  expect(JSON.parse(readFileSync(url, "utf8")).version).toBe(firesteelVersion);
});

test("printVersion contains the lines that tools parse", () => {
  const text = printVersion({ line: "4.3", text: "4.3.0" });
  expect(text).toMatch(/^Welcome to\n/);
  expect(text).toContain("version 4.3.0\n");
  expect(text).toContain("\nType --help for more information.\n");
});
