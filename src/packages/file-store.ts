import { createHash } from "node:crypto";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";

const pieceBytes = 4 * 1024 * 1024;
const staleWorkMs = 24 * 60 * 60 * 1000;

/** Returns the SHA-256 of a file in hex, reading in pieces; `undefined` if the file does not exist. */
export function sha256Of(host: Host, path: string): string | undefined {
  const hash = createHash("sha256");
  for (let offset = 0; ; offset += pieceBytes) {
    const piece = host.files.readRange(path, offset, pieceBytes);
    if (piece === undefined) return undefined;
    hash.update(piece);
    if (piece.length < pieceBytes) return hash.digest("hex");
  }
}

/** Files by content, and the content of each file of a repository: `packages` in Firesteel's cache. */
export interface FileStore {
  /** Finds stored content and marks it as used. `undefined` if it is missing or corrupt. */
  readonly contentAt: (sha256: string) => string | undefined;
  /** Removes unexpected content. */
  readonly discard: (sha256: string) => void;
  /** Finds the stored file of a repository and marks it as used. */
  readonly find: (repository: string, path: string) => string | undefined;
  /** Moves a downloaded file into the store. Returns its path there. */
  readonly keep: (repository: string, path: string, work: string) => string;
  /** Returns a path for a new file, in the same file system. */
  readonly workPath: () => string;
}

/** Opens the store in this user's cache. */
export function openFileStore(host: Host): FileStore {
  const { files } = host;
  const directory = `${cacheDirectory(host)}/packages`;
  const contentPath = (sha256: string) => `${directory}/sha256/${sha256.slice(0, 2)}/${sha256}`;
  const namePath = (repository: string, path: string) =>
    `${directory}/names/${createHash("sha256").update(`${repository} ${path}`).digest("hex")}`;
  const moveTo = (path: string, work: string) => {
    files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    files.rename(work, path);
  };
  let isSwept = false;
  const workPath = () => {
    files.makeDirectory(`${directory}/work`);
    if (!isSwept) sweepOld(host, `${directory}/work`);
    isSwept = true;
    return `${directory}/work/${host.random.uuid()}`;
  };
  const contentAt = (sha256: string) => {
    const path = contentPath(sha256);
    if (sha256Of(host, path) === sha256) return path;
    files.remove(path);
    return undefined;
  };
  return {
    contentAt,
    discard: (sha256) => files.remove(contentPath(sha256)),
    find(repository, path) {
      const text = files.readText(namePath(repository, path))?.trim();
      return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? contentAt(text) : undefined;
    },
    keep(repository, path, work) {
      const sha256 = sha256Of(host, work);
      if (sha256 === undefined) throw new Error(`${work} no longer exists`);
      moveTo(contentPath(sha256), work);
      const name = workPath();
      files.write(name, `${sha256}\n`);
      moveTo(namePath(repository, path), name);
      return contentPath(sha256);
    },
    workPath,
  };
}

/** Removes files that killed commands left. */
function sweepOld({ clock, files }: Host, directory: string): void {
  const before = clock.now() - staleWorkMs;
  for (const name of files.list(directory) ?? []) {
    const path = `${directory}/${name}`;
    if ((files.info(path)?.modifiedMs ?? before) < before) files.remove(path);
  }
}
