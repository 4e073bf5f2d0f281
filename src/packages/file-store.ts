import { createHash } from "node:crypto";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import { parsePom } from "./pom/pom.ts";
import type { Repository } from "./repository.ts";

const pieceBytes = 4 * 1024 * 1024;
const staleWorkMs = 24 * 60 * 60 * 1000;

/** SHA-256 of a file in hex, read in pieces; `undefined` where there is none. */
export function sha256Of(host: Host, path: string): string | undefined {
  const hash = createHash("sha256");
  for (let offset = 0; ; offset += pieceBytes) {
    const piece = host.files.readRange(path, offset, pieceBytes);
    if (piece === undefined) return undefined;
    hash.update(piece);
    if (piece.length < pieceBytes) return hash.digest("hex");
  }
}

/** Files by their content, and which content a file of a repository has: `packages` in our cache. */
export interface FileStore {
  /** Where content is kept, looked through; `undefined` where it is not, or is spoiled. */
  readonly contentAt: (sha256: string) => string | undefined;
  /** Forgets content that turned out to be bad. */
  readonly discard: (sha256: string) => void;
  /** Takes a file over into the store: gives its place and digest. */
  readonly keep: (path: string) => { readonly path: string; readonly sha256: string };
  /** A place for a file that is to be kept, in the same file system. */
  readonly workPath: () => string;
  readonly digestOf: (repository: string, path: string) => string | undefined;
  readonly remember: (repository: string, path: string, sha256: string) => void;
}

/** The store in the cache of this user. */
export function openFileStore(host: Host): FileStore {
  const { files } = host;
  const folder = `${cacheDirectory(host)}/packages`;
  const contentPath = (sha256: string) => `${folder}/sha256/${sha256.slice(0, 2)}/${sha256}`;
  const notePath = (repository: string, path: string) =>
    `${folder}/names/${createHash("sha256").update(`${repository} ${path}`).digest("hex")}`;
  const write = (path: string, put: (work: string) => void) => {
    files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    const work = workPath();
    put(work);
    files.rename(work, path);
  };
  const workPath = () => {
    files.makeDirectory(`${folder}/work`);
    sweepWork();
    return `${folder}/work/${host.random.uuid()}`;
  };
  let isSwept = false;
  /** What killed commands left. */
  const sweepWork = () => {
    if (isSwept) return;
    isSwept = true;
    const before = host.clock.now() - staleWorkMs;
    for (const name of files.list(`${folder}/work`) ?? []) {
      const path = `${folder}/work/${name}`;
      if ((files.info(path)?.modifiedMs ?? before) < before) files.remove(path);
    }
  };
  return {
    contentAt(sha256) {
      const path = contentPath(sha256);
      if (sha256Of(host, path) === sha256) return path;
      files.remove(path);
      return undefined;
    },
    discard: (sha256) => files.remove(contentPath(sha256)),
    keep(path) {
      const sha256 = sha256Of(host, path);
      if (sha256 === undefined) throw new Error(`${path} went away`);
      const place = contentPath(sha256);
      files.makeDirectory(place.slice(0, place.lastIndexOf("/")));
      files.rename(path, place);
      return { path: place, sha256 };
    },
    workPath,
    digestOf(repository, path) {
      const text = files.readText(notePath(repository, path))?.trim();
      return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? text : undefined;
    },
    remember(repository, path, sha256) {
      write(notePath(repository, path), (work) => files.write(work, `${sha256}\n`));
    },
  };
}

/**
 * A repository whose files are fetched once. Lists of versions and snapshots change, so they come from the cache only offline.
 *
 * @param remote `undefined`: there is only what was fetched before
 */
export function storedRepository(
  host: Host,
  store: FileStore,
  { name, url, remote }: { name: string; url: string; remote: Repository | undefined },
): Repository {
  const stored = (path: string): string | undefined => {
    const sha256 = store.digestOf(url, path);
    return sha256 === undefined ? undefined : store.contentAt(sha256);
  };
  const isLasting = (path: string) => !/maven-metadata\.xml$|-SNAPSHOT\//.test(path);
  const here = (path: string) => (isLasting(path) || remote === undefined ? stored(path) : undefined);
  const keep = (path: string, work: string) => {
    const kept = store.keep(work);
    store.remember(url, path, kept.sha256);
    return kept.path;
  };
  return {
    name,
    async read(path) {
      const place = here(path);
      if (place !== undefined) return host.files.readBytes(place);
      const bytes = await remote?.read(path);
      if (bytes === undefined || !isWorthKeeping(path, bytes)) return bytes;
      const work = store.workPath();
      host.files.write(work, bytes);
      keep(path, work);
      return bytes;
    },
    has: async (path) => here(path) !== undefined || ((await remote?.has(path)) ?? false),
    async download(path, into) {
      const place = here(path);
      if (place !== undefined) {
        host.files.copy(place, into);
        return true;
      }
      const work = store.workPath();
      try {
        if ((await remote?.download(path, work)) !== true) return false;
        host.files.copy(keep(path, work), into);
        return true;
      } finally {
        host.files.remove(work);
      }
    },
    list: async () => [],
  };
}

/** What says of itself that it is no POM, as the page of a proxy for strangers, would stand in the way for ever. */
function isWorthKeeping(path: string, bytes: Uint8Array): boolean {
  if (!path.endsWith(".pom")) return true;
  try {
    parsePom(bytes);
    return true;
  } catch {
    return false;
  }
}
