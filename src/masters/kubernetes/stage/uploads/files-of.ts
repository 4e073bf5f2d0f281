import type { Files } from "../../../../host/host.ts";

/** A file below a path. */
interface FileBelow {
  readonly path: string;
  readonly sizeBytes: number;
  /** Path relative to the listed one, e.g. `/sub/a.txt`; empty for the path itself. */
  readonly below: string;
}

/** Lists the file itself, or all files of a directory. Follows links. @throws Error if the path does not exist */
export function filesOf(files: Files, path: string, below = ""): readonly FileBelow[] {
  const fullPath = `${path.replace(/\/$/, "")}${below}`;
  const info = files.info(fullPath);
  if (info === undefined) throw new Error(`File file:${fullPath} does not exist`);
  if (info.kind !== "directory") return [{ path: fullPath, sizeBytes: info.sizeBytes, below }];
  return (files.list(fullPath) ?? []).flatMap((name) => filesOf(files, path, `${below}/${name}`));
}
