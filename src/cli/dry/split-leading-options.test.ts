import { describe, expect, test } from "vitest";
import { splitLeadingOptions } from "./split-leading-options.ts";

const known = { flags: ["--json"], values: ["--only", "-o"] } as const;

describe("splitLeadingOptions", () => {
  test("ends the own options at the first argument of the submission", () => {
    const { own, submission } = splitLeadingOptions(
      ["--json", "--only", "driver", "-o=x", "--master", "m", "--json"],
      known,
    );
    expect([own.has("--json"), own.value("--only"), own.value("-o")]).toEqual([true, "driver", "x"]);
    expect(submission).toEqual(["--master", "m", "--json"]);
  });

  test("reports a missing value", () => {
    expect(() => splitLeadingOptions(["--only"], known)).toThrow("Missing argument for option '--only'.");
  });
});
