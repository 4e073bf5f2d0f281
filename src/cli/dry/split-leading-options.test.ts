import { describe, expect, test } from "vitest";
import { splitLeadingOptions } from "./split-leading-options.ts";

const known = { flags: ["--json"], values: ["--only", "-o"] } as const;

describe("a command's own words", () => {
  test("come first, and end where a submission's begin", () => {
    const { own, submission } = splitLeadingOptions(
      ["--json", "--only", "driver", "-o=x", "--master", "m", "--json"],
      known,
    );
    expect([own.has("--json"), own.value("--only"), own.value("-o")]).toEqual([true, "driver", "x"]);
    expect(submission).toEqual(["--master", "m", "--json"]);
  });

  test("may lack a value, which is told", () => {
    expect(() => splitLeadingOptions(["--only"], known)).toThrow("Missing argument for option '--only'.");
  });
});
