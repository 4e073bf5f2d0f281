/** Local directories of an executor. */
export interface ExecutorLayout {
  /** In the order of the registration. */
  readonly localDirs: readonly string[];
  readonly subDirsPerLocalDir: number;
}

/** A file in one of the local directories of an executor. */
export interface BlockPath {
  /** Position of the local directory. */
  readonly localDir: number;
  readonly subDir: string;
  readonly name: string;
}

/** Returns the path of a file by its name. Source: Spark ExecutorDiskUtils.getFilePath. */
export function blockPathOf(name: string, { localDirs, subDirsPerLocalDir }: ExecutorLayout): BlockPath {
  const hash = nonNegativeHash(name);
  const localDir = hash % localDirs.length;
  const subDir = Math.floor(hash / localDirs.length) % subDirsPerLocalDir;
  return { localDir, subDir: subDir.toString(16).padStart(2, "0"), name };
}

/** Computes the absolute value of Java's `String.hashCode`, and 0 for the smallest integer. Source: Spark JavaUtils.nonNegativeHash. */
export function nonNegativeHash(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash === -(2 ** 31) ? 0 : Math.abs(hash);
}

/** Returns the name of the data file of a map output. */
export function dataFileName(shuffleId: number, mapId: bigint): string {
  return `shuffle_${shuffleId}_${mapId}_0.data`;
}

/** Returns the name of the index file of a map output. */
export function indexFileName(shuffleId: number, mapId: bigint): string {
  return `shuffle_${shuffleId}_${mapId}_0.index`;
}

/** Checksum algorithms of Spark, which are part of file names. */
export const checksumAlgorithms = ["ADLER32", "CRC32", "CRC32C"] as const;

/** A checksum algorithm. */
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** Returns the name of the checksum file of a map output. */
export function checksumFileName(shuffleId: number, mapId: bigint, algorithm: ChecksumAlgorithm): string {
  return `shuffle_${shuffleId}_${mapId}_0.checksum.${algorithm}`;
}

/** Returns the name of the file of a cached block. */
export function rddFileName(rddId: number, partition: number): string {
  return `rdd_${rddId}_${partition}`;
}

/** Returns whether a name to remove is the name of a file in a directory. */
export function isFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

/** Returns the names of the checksum files that belong to a data file; none for other files. */
export function checksumFilesOf(name: string): readonly string[] {
  const output = /^(shuffle_\d+_\d+_0)\.data$/.exec(name)?.[1];
  return output === undefined ? [] : checksumAlgorithms.map((algorithm) => `${output}.checksum.${algorithm}`);
}
