import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

/** A program that tests run in a process of its own. */
export interface BuiltProgram {
  readonly path: string;
  readonly remove: () => void;
}

/** Bundles a program of this directory or one below it. */
export async function buildProgram(name: string): Promise<BuiltProgram> {
  const own = dirname(fileURLToPath(import.meta.url));
  // Inside node_modules, so that the packages it imports are found.
  const directory = mkdtempSync(join(dirname(dirname(own)), "node_modules", ".test-program-"));
  // Another user may run it.
  chmodSync(directory, 0o755);
  const path = join(directory, "program.mjs");
  await build({
    input: join(own, name),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    output: { file: path, format: "esm", codeSplitting: false },
    logLevel: "warn",
  });
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
