/** Writes the generated pages of `docs/`, or, with `--verify`, tells which are out of date. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generatedPages } from "./docs/pages.ts";

const pages = await Promise.all(
  Object.entries(generatedPages).map(async ([path, make]): Promise<[string, string]> => [path, await make()]),
);
const stale = pages.filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);

if (process.argv.includes("--verify")) {
  for (const [path] of stale) console.error(`${path} is out of date; run npm run update:docs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) writeFileSync(path, text);
}
