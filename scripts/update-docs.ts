/** Writes the generated pages of `docs/`, or, with `--verify`, tells which are out of date. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generatedPages } from "./docs/pages.ts";

const stale = Object.entries(generatedPages)
  .map(([path, make]): [string, string] => [path, make()])
  .filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);

if (process.argv.includes("--verify")) {
  for (const [path] of stale) console.error(`${path} is out of date; run npm run update:docs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) writeFileSync(path, text);
}
