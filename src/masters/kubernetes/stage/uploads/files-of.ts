import type { Files } from "../../../../host/host.ts";

/** A file below a path. */
export interface FileBelow {
  readonly path: string;
  readonly sizeBytes: number;
  /** Empty for the path itself, else its way from there, e.g. `/sub/a.txt`. */
  readonly below: string;
}

/** A file itself, or all files of a folder; what links lead to, not the links. @throws Error when nothing is there */
export function filesOf(files: Files, path: string, below = ""): readonly FileBelow[] {
  const whole = `${path.replace(/\/$/, "")}${below}`;
  const info = files.info(whole);
  if (info === undefined) throw new Error(`File file:${whole} does not exist`);
  if (info.kind !== "directory") return [{ path: whole, sizeBytes: info.sizeBytes, below }];
  return (files.list(whole) ?? []).flatMap((name) => filesOf(files, path, `${below}/${name}`));
}
