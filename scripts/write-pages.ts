import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Texts by path. */
export type Pages = Iterable<readonly [string, string]>;

/** Writes the pages that differ from their files. Creates no directories. */
export function writePages(pages: Pages): void {
  for (const [path, text] of stalePages(pages)) writeFileSync(path, text);
}

/** Prints the pages that differ from their files, and sets exit code 1 if there are any. */
export function verifyPages(pages: Pages, updateCommand: string): void {
  for (const [path] of stalePages(pages)) {
    console.error(`${path} is out of date; run ${updateCommand}`);
    process.exitCode = 1;
  }
}

/** Prints the message and the usage on stderr, and exits with 1. */
export function exitWithUsage(message: string, usage: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(1);
}

function stalePages(pages: Pages): (readonly [string, string])[] {
  return [...pages].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
}
