import type { Files, Host } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";

/**
 * Returns the absolute path of a program, found on the search path or in the directories of administration programs.
 */
export function findProgram({ files, env }: Pick<Host, "files" | "env">, name: string): string | undefined {
  const directories = [...(env["PATH"] ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
  return directories
    .filter((directory) => directory.startsWith("/"))
    .map((directory) => `${directory}/${name}`)
    .find((path) => isProgram(files, path));
}

function isProgram(files: Files, path: string): boolean {
  // A directory on the search path may be another user's home.
  const info = undefinedIfForbidden(() => files.info(path));
  return info?.kind === "file" && (info.mode & 0o111) !== 0;
}
