import type { Host } from "../host/host.ts";

/** Returns the directory of this package: its programs are in `dist/bin`. */
export function packageDirectory({ files, programPath }: Host): string {
  const program = files.realPath(programPath) ?? programPath;
  return program.split("/").slice(0, -3).join("/");
}
