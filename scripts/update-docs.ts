/** Writes the generated pages of `docs/`, or, with `--verify`, reports which are out of date. */
import { generatedPages } from "./docs/pages.ts";
import { verifyPages, writePages } from "./write-pages.ts";

const pages = await Promise.all(
  Object.entries(generatedPages).map(async ([path, make]): Promise<[string, string]> => [path, await make()]),
);

if (process.argv.includes("--verify")) verifyPages(pages, "npm run update:docs");
else writePages(pages);
