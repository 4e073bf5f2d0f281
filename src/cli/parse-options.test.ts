import { describe, expect, test } from "vitest";
import { parseOptions } from "./parse-options.ts";

const known = { flags: ["--json"], values: ["--name", "-o"], maxPositionals: 1 } as const;

describe("parseOptions", () => {
  test("returns flags, values and positionals; the last value of an option counts", () => {
    const args = ["--name", "a", "pi", "--json", "--name=b=c", "-o", "--x"];
    const options = parseOptions(args, known);
    expect(options.has("--json")).toBe(true);
    expect([options.value("--name"), options.values("--name")]).toEqual(["b=c", ["a", "b=c"]]);
    expect([options.value("-o"), options.positionals]).toEqual(["--x", ["pi"]]);
    expect(parseOptions(["-o=yaml", "-ojson"], known).values("-o")).toEqual(["yaml", "json"]);
  });

  test("returns neither flags nor values for no arguments", () => {
    const options = parseOptions([], known);
    expect([options.has("--json"), options.value("--name"), options.values("-o")]).toEqual([false, undefined, []]);
  });

  test("takes arguments after -- as positionals", () => {
    expect(parseOptions(["--", "--json"], known).positionals).toEqual(["--json"]);
  });

  test("throws all problems together, in the order of the arguments", () => {
    const args = ["--jsn", "pi", "java", "--json=1", "-xyz", "--o=1", "--name"];
    expect(() => parseOptions(args, known)).toThrow(
      expect.objectContaining({
        message: [
          "Unrecognized option: --jsn",
          "Unrecognized option: java",
          "Unrecognized option: --json=1",
          "Unrecognized option: -xyz",
          "Unrecognized option: --o=1",
          "Missing argument for option '--name'.",
        ].join("\n"),
      }),
    );
  });

  test("suggests the option that a typo resembles", () => {
    expect(() => parseOptions(["--jsn"], known)).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ hint: expect.stringMatching(/^Did you mean --json\?/) })],
      }),
    );
  });
});
