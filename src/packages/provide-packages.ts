import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { replaceFile } from "../host/replace-file.ts";
import { forEachConcurrent } from "../net/for-each-concurrent.ts";
import { openFileStore, sha256Of } from "./file-store.ts";
import { type ExpectedJar, expectedJar, type LockedJar, lockedRequest, printLock, readLock } from "./lock-file.ts";
import { printIvyRevision } from "./module-revision.ts";
import { openRepositories, type RepositoryChoice } from "./repositories.ts";
import type { Repository } from "./repository.ts";
import { type PackageRequest, resolvePackages } from "./resolve-packages.ts";

/** Options for providing packages. */
export interface ProvideOptions extends RepositoryChoice {
  /** Directory for the jars, absolute. `undefined` only lists the jars. */
  readonly into: string | undefined;
  /** Absolute. */
  readonly lock: { readonly path: string; readonly isFrozen: boolean } | undefined;
}

/** A resolved jar, with its local path if it was downloaded. */
export interface ProvidedJar extends ExpectedJar {
  readonly sha256?: string;
  readonly sizeBytes?: number;
  /** Absolute; absent when jars are only listed. */
  readonly localPath?: string;
}

const maxConcurrency = 6;

/**
 * Finds the jars of packages and puts them into a directory, in Spark's order and with Spark's names.
 *
 * @throws SubmitError `SUBMIT_ERR_PACKAGE_…`
 */
export async function providePackages(
  host: Host,
  request: PackageRequest,
  { options, progress }: { options: ProvideOptions; progress: Progress },
): Promise<readonly ProvidedJar[]> {
  const lock = readLockFor(host, request, options);
  const opened = await openRepositories(host, options, progress);
  try {
    const { repositories } = opened;
    const located =
      options.lock?.isFrozen === true
        ? (lock?.jars ?? []).map((jar) => ({ jar, repositories }))
        : await resolve(request, repositories, progress);
    if (options.into === undefined) return located.map(({ jar }) => jar);
    const locked = new Map(lock?.jars.map((jar) => [jar.coordinate, jar.sha256]));
    const jars = await fetchAll(host, { located, into: options.into, locked });
    if (options.lock?.isFrozen === false) {
      const lockedJars = jars.map(({ localPath: _, ...jar }) => jar);
      replaceFile(host, options.lock.path, printLock(lockedRequest(request), lockedJars));
    }
    return jars;
  } finally {
    opened.close();
  }
}

/** A jar, and the repositories to search, the likeliest first. */
interface LocatedJar {
  readonly jar: ExpectedJar;
  readonly repositories: readonly Repository[];
}

function readLockFor(host: Host, request: PackageRequest, { lock }: ProvideOptions) {
  if (lock === undefined) return undefined;
  const read = readLock(host, lock.path, lockedRequest(request));
  if (!lock.isFrozen) return read;
  const reason = read === undefined ? "it does not exist" : "it is for other packages";
  if (read?.isOfRequest !== true) throw submitError("SUBMIT_ERR_PACKAGE_LOCK", { path: lock.path, reason });
  return read;
}

async function resolve(
  request: PackageRequest,
  repositories: readonly Repository[],
  progress: Progress,
): Promise<readonly LocatedJar[]> {
  progress.note(
    `Resolving ${request.coordinates.length === 1 ? "one package" : `${request.coordinates.length} packages`}.`,
  );
  const resolution = await resolvePackages(request, repositories);
  if (!resolution.ok) throw submitError("SUBMIT_ERR_PACKAGE_UNRESOLVED", { problems: resolution.problems });
  return resolution.jars.map((jar) => ({
    jar: expectedJar(jar),
    repositories: [jar.repository, ...repositories.filter((one) => one !== jar.repository)],
  }));
}

interface Fetch {
  readonly located: readonly LocatedJar[];
  readonly into: string;
  /** Known digests, by coordinate. */
  readonly locked: ReadonlyMap<string, string>;
}

async function fetchAll(
  host: Host,
  { located, into, locked }: Fetch,
): Promise<readonly (LockedJar & { localPath: string })[]> {
  host.files.makeDirectory(into);
  const done = new Map<LocatedJar, LockedJar & { localPath: string }>();
  const problems: string[] = [];
  await forEachConcurrent(located, maxConcurrency, async (next) => {
    const jar = await fetchJar(host, next, { into, sha256: locked.get(next.jar.coordinate) });
    if (jar === undefined) problems.push(`download failed: ${ivyArtifact(next.jar)}`);
    else done.set(next, jar);
  });
  if (problems.length > 0) throw submitError("SUBMIT_ERR_PACKAGE_UNRESOLVED", { problems });
  return located.flatMap((one) => done.get(one) ?? []);
}

/** Prints a jar as in Ivy's messages: `group#artifact;version!artifact.jar`. */
function ivyArtifact({ coordinate }: ExpectedJar): string {
  const [group = "", artifact = "", version = ""] = coordinate.split(":");
  return `${printIvyRevision({ group, artifact, version })}!${artifact}.jar`;
}

/** Puts one jar into the directory atomically. `undefined` if no repository has it. */
async function fetchJar(
  host: Host,
  { jar, repositories }: LocatedJar,
  { into, sha256 }: { into: string; sha256: string | undefined },
): Promise<(LockedJar & { localPath: string }) | undefined> {
  const { files } = host;
  const localPath = `${into}/${jar.file}`;
  const work = `${into}/.${jar.file}.${host.random.uuid()}`;
  try {
    if (!(await fetchInto(host, work, { jar, repositories, sha256 }))) return undefined;
    const found = sha256Of(host, work) ?? "";
    if (sha256 !== undefined && found !== sha256) {
      openFileStore(host).discard(found);
      throw submitError("SUBMIT_ERR_PACKAGE_DIGEST", { file: jar.file, expected: sha256, found });
    }
    files.rename(work, localPath);
    const sizeBytes = files.info(localPath)?.sizeBytes ?? 0;
    return {
      coordinate: jar.coordinate,
      path: jar.path,
      file: jar.file,
      sha256: found,
      sizeBytes,
      localPath,
    };
  } finally {
    files.remove(work);
  }
}

async function fetchInto(
  host: Host,
  work: string,
  { jar, repositories, sha256 }: LocatedJar & { readonly sha256: string | undefined },
): Promise<boolean> {
  const kept = sha256 === undefined ? undefined : openFileStore(host).contentAt(sha256);
  if (kept !== undefined) {
    host.files.copy(kept, work);
    return true;
  }
  for (const repository of repositories) if (await repository.download(jar.path, work)) return true;
  return false;
}
