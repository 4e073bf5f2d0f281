import { statfsSync } from "node:fs";

/** Returns the size in bytes of the file system of a path; `undefined` if it has none. It is not part of `Host`, which submissions load. */
export function diskSize(path: string): number | undefined {
  try {
    const { blocks, bsize } = statfsSync(path);
    return blocks > 0 ? blocks * bsize : undefined;
  } catch {
    return undefined;
  }
}
