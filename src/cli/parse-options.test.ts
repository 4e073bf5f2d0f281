import { describe, expect, test } from "vitest";
import { parseOptions } from "./parse-options.ts";

const known = { flags: ["--json"], values: ["--name"], maxPositionals: 1 } as const;

describe("the words of a small command", () => {
  test("are flags, values and plain words, the last value winning", () => {
    const flags = parseOptions(["--name", "a", "pi", "--json", "--name=b=c"], known);
    expect([flags.has("--json"), flags.value("--name"), flags.words]).toEqual([true, "b=c", ["pi"]]);
    expect(parseOptions([], known).has("--json")).toBe(false);
  });

  test("are refused all together", () => {
    const wrong = () => parseOptions(["--jsn", "pi", "java", "--json=1", "--name"], known);
    expect(wrong).toThrow(
      expect.objectContaining({
        message: [
          "Unrecognized option: --jsn",
          "Unrecognized option: java",
          "Unrecognized option: --json=1",
          "Missing argument for option '--name'.",
        ].join("\n"),
      }),
    );
  });
});
