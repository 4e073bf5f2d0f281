import type { Host } from "./host.ts";

/** Resolves a path from the working directory. */
export function absolutePath({ cwd }: Pick<Host, "cwd">, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}
