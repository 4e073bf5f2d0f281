import { describe, expect, test } from "vitest";
import { newestLine, newestRelease, parseSparkVersion, sparkLines } from "./spark-version.ts";

describe("parseSparkVersion", () => {
  test.each([
    ["4.3.0", "4.3.0", "4.3"],
    ["v3.5.9", "3.5.9", "3.5"],
    ["4.1", "4.1.4", "4.1"],
    ["4.2.0-SNAPSHOT", "4.2.0-SNAPSHOT", "4.2"],
    ["4.0.0-preview2", "4.0.0-preview2", "4.0"],
    ["3.5.9-scala2.12-java17-python3-ubuntu", "3.5.9", "3.5"],
    ["4.3-java21", "4.3.0", "4.3"],
  ])("parses %s", (version, text, line) => {
    expect(parseSparkVersion(version)).toEqual({ text, line });
  });

  test.each(["", "latest", "3.4.1", "4.10.0", "4", "14.3.0", "4.3.0.1", "4.3x.0.1.2"])(
    "does not know %j",
    (version) => {
      expect(parseSparkVersion(version)).toBeUndefined();
    },
  );
});

test("each line has a release of its own", () => {
  for (const line of sparkLines) expect(parseSparkVersion(newestRelease(line).text)?.line).toBe(line);
  expect(newestLine).toBe(sparkLines.at(-1));
});
