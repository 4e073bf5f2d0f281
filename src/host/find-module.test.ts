import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { findModule } from "./find-module.ts";

const directory = mkdtempSync(join(tmpdir(), "firesteel-modules-"));
afterAll(() => rmSync(directory, { recursive: true }));

const files = {
  "own.mjs": "export default 1;",
  "steps/own.cjs": "module.exports = 2;",
  "node_modules/plain/package.json": "{}",
  "node_modules/plain/index.js": "module.exports = 3;",
  "node_modules/@org/modern/package.json":
    '{"type":"module","exports":{".":{"types":"./x.d.ts","import":"./main.js"},"./sub":{"import":{"default":"./sub.js"}}}}',
  "node_modules/@org/modern/main.js": "export default 4;",
  "node_modules/@org/modern/sub.js": "export default 5;",
  "node_modules/short/package.json": '{"exports":{"import":"./s.mjs"}}',
  "node_modules/short/s.mjs": "export default 6;",
};
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

test.each([
  ["own.mjs", "own.mjs"],
  ["./steps/own.cjs", "steps/own.cjs"],
  [join(directory, "own.mjs"), "own.mjs"],
  ["plain", "node_modules/plain/index.js"],
  ["@org/modern", "node_modules/@org/modern/main.js"],
  ["@org/modern/sub", "node_modules/@org/modern/sub.js"],
  ["short", "node_modules/short/s.mjs"],
])("%s is the file %s", (specifier, path) => {
  expect(findModule(directory, specifier).href).toBe(pathToFileURL(join(directory, path)).href);
});

test.each(["./nope.mjs", "nope", "@org/modern/nope", "/nope", "node:fs", "fs"])("%s is none", (specifier) => {
  expect(() => findModule(directory, specifier)).toThrow();
});

test("what is found can be imported, whatever its kind", async () => {
  expect(await import(findModule(directory, "own.mjs").href)).toMatchObject({ default: 1 });
  expect(await import(findModule(directory, "./steps/own.cjs").href)).toMatchObject({ default: 2 });
});
