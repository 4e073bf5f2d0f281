#!/usr/bin/env node
/** Runs a TypeScript program: `node scripts/run-ts.mjs scripts/update-docs.ts --verify`. */
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [program] = process.argv.splice(2, 1);
// In node_modules, so that the program finds the packages that it imports.
const directory = mkdtempSync(join(root, "node_modules", ".run-ts-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, "program.mjs");
await build({
  input: join(root, program),
  platform: "node",
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
  output: { file, format: "esm", codeSplitting: false },
  logLevel: "warn",
});
process.chdir(root);
await import(pathToFileURL(file).href);
