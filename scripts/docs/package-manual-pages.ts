import { readFileSync } from "node:fs";
import { collectHelp } from "../build/help/collect-help.ts";
import { manPages } from "../build/help/man-pages.ts";

/** Builds `package.json` with the current list of manual pages, which npm installs. */
export async function packageWithManualPages(): Promise<string> {
  const files = manPages(await collectHelp()).map(({ name }) => `${name}.1`);
  const list = files.sort().map((file) => `\n    "./dist/man/${file}"`);
  return readFileSync("package.json", "utf8").replace(/"man": \[[^\]]*\]/, `"man": [${list.join(",")}\n  ]`);
}
