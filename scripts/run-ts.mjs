#!/usr/bin/env node
/** Runs a TypeScript program of this folder: `node scripts/run-ts.mjs scripts/update-docs.ts --verify`. */
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [program] = process.argv.splice(2, 1);
// Inside node_modules, so that the packages it imports are found.
const directory = mkdtempSync(join(root, "node_modules", ".run-ts-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const outfile = join(directory, "program.mjs");
await build({
  absWorkingDir: root,
  entryPoints: [program],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  logLevel: "warning",
});
process.chdir(root);
await import(pathToFileURL(outfile).href);
