/** Image layers rarely shrink to a tenth. A higher ratio indicates a decompression bomb. */
const maxCompressionRatio = 200;
const alwaysAllowedBytes = 256 * 1024 * 1024;

/** Counts unpacked bytes. @throws Error if an archive unpacks to too many */
export type UnpackBudget = (bytes: number) => void;

/** Creates the budget of an archive and all archives in it: 200 times its size, at least 256 MiB. Links that are copied count. */
export function unpackBudget(archiveBytes: number, minBytes = alwaysAllowedBytes): UnpackBudget {
  let leftBytes = Math.max(minBytes, maxCompressionRatio * archiveBytes);
  return (bytes) => {
    leftBytes -= bytes;
    if (leftBytes < 0) throw new Error(`it unpacks to more than ${maxCompressionRatio} times its size`);
  };
}
