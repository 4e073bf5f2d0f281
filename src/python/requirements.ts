import { posix } from "node:path";
import type { Files } from "../host/host.ts";

/** Packages that every Spark image has in the version of its Spark. */
const providedPackages = ["pyspark", "py4j"];

const include = /^\s*(-r|--requirement|-c|--constraint)(?:\s+|=)(\S+)/;
const packageName = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)/;

/** Lists the files that a requirements file includes, also indirectly. Source: pip's requirements file format. */
export function includedFiles(files: Files, path: string): readonly string[] {
  const found = new Set<string>();
  const visit = (file: string) => {
    for (const line of linesOf(files, file)) {
      const named = include.exec(line)?.[2];
      if (named === undefined || named.includes("://")) continue;
      const included = posix.resolve(posix.dirname(file), named);
      if (found.has(included)) continue;
      found.add(included);
      visit(included);
    }
  };
  visit(path);
  return [...found];
}

/** Returns the requirements without packages that the image provides, and with absolute paths of included files. */
export function withoutProvided(files: Files, path: string): { readonly lines: string[]; readonly removed: string[] } {
  const lines: string[] = [];
  const removed: string[] = [];
  for (const line of linesOf(files, path)) {
    if (isProvided(line)) removed.push(line.trim());
    else lines.push(line.replace(include, (_, option, file) => `${option} ${absolute(path, file)}`));
  }
  return { lines, removed };
}

/** Whether a requirement names a package that the image provides. */
export function isProvided(requirement: string): boolean {
  const name = packageName.exec(requirement)?.[1];
  return name !== undefined && providedPackages.includes(name.toLowerCase().replace(/[-_.]+/g, "-"));
}

/** Requirements for uv's `--overrides`, with which no package depends on those that the image provides. */
export const neverInstalled = providedPackages.map((name) => `${name} ; sys_platform == 'never'\n`).join("");

function linesOf(files: Files, path: string): readonly string[] {
  return (files.readText(path) ?? "").split(/\r?\n/);
}

function absolute(from: string, file: string): string {
  return file.includes("://") ? file : posix.resolve(posix.dirname(from), file);
}
