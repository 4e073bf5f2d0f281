/** Writes what the build derives from the help of the commands: the data of the completion, and the manual pages. Usage: write-help.ts DIR */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firesteelVersion } from "../../../src/cli/version.ts";
import { collectHelp } from "./collect-help.ts";
import { completionData } from "./completion-data.ts";
import { printManPage } from "./man-page.ts";
import { manPages } from "./man-pages.ts";

const [output = "."] = process.argv.slice(2);
const collected = await collectHelp();
writeFileSync(join(output, "bin", "parts", "completion.json"), JSON.stringify(completionData(collected)));
mkdirSync(join(output, "man"), { recursive: true });
for (const page of manPages(collected))
  writeFileSync(join(output, "man", `${page.name}.1`), printManPage(page, firesteelVersion));
