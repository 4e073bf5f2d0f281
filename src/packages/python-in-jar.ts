import type { Files } from "../host/host.ts";
import { localZip, zipEntryNames } from "../host/zip-directory.ts";

const maxDirectoryBytes = 64 * 1024 * 1024;

/** Whether a jar contains Python modules, which Python finds if the jar is on its path. False for a file that is not a zip archive. */
export function hasPythonModules(files: Pick<Files, "info" | "readRange">, path: string): boolean {
  const zip = localZip(files, path);
  if (zip === undefined) return false;
  for (const name of zipEntryNames(zip, maxDirectoryBytes)) if (/\.pyc?$/.test(name)) return true;
  return false;
}
