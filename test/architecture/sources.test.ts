import { expect, test } from "vitest";
import { sourceOf } from "./sources.ts";

test("splits a file into code, strings and imports", () => {
  const source = sourceOf(
    "src/cli/main.ts",
    [
      'import type { A } from "../plan/a.ts";',
      "export {",
      "  b,",
      '} from "./b.ts";',
      "// a comment with \"quotes\" and import('x')",
      "const text = `one ${call({ key: `two ${three}` })} four`;",
      'const pattern = /["\'/]\\/"/.test(text) ? \'single\' : "dou\\"ble";',
      'const lazy = () => import("../local-cluster/index.ts");',
    ].join("\n"),
  );
  expect(source.directory).toBe("cli");
  expect(source.strings).toEqual([
    "../plan/a.ts",
    "./b.ts",
    "one ",
    "two ",
    "",
    " four",
    "single",
    'dou\\"ble',
    "../local-cluster/index.ts",
  ]);
  expect(source.imports).toEqual([
    { specifier: "../plan/a.ts", path: "src/plan/a.ts", lazy: false },
    { specifier: "./b.ts", path: "src/cli/b.ts", lazy: false },
    { specifier: "../local-cluster/index.ts", path: "src/local-cluster/index.ts", lazy: true },
  ]);
  expect(source.code).not.toContain("comment");
});
