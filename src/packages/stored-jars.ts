import { createHash } from "node:crypto";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { FileInfo, Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { replaceFile } from "../host/replace-file.ts";
import { openFileStore } from "./file-store.ts";
import { lockedRequest } from "./lock-file.ts";
import { type ProvidedJar, providePackages } from "./provide-packages.ts";
import { hasPythonModules } from "./python-in-jar.ts";
import { type RepositoryChoice, repositoryAddresses } from "./repositories.ts";
import { startInputs } from "./resolution-inputs.ts";
import type { PackageRequest } from "./resolve-packages.ts";

/** Packages of a submission, and where their jars are searched. */
export interface StoredRequest {
  readonly request: PackageRequest;
  readonly choice: RepositoryChoice;
  /** Absolute path of a lock file, whose jars are used without a resolution. */
  readonly lockPath: string | undefined;
}

/** Jar in the cache. */
export interface StoredJar {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Whether Python programs need the jar on their path, too. */
  readonly hasPython: boolean;
}

/** File as it was when the resolution was stored. */
interface Stamp {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

interface StoredJarEntry extends Stamp {
  readonly hasPython: boolean;
}

/** Result of a resolution. */
interface StoredResolution {
  readonly jars: readonly StoredJarEntry[];
  /** Files of local repositories on which it depends. */
  readonly inputs: readonly Stamp[];
}

const recordName = "resolution.json";

/** Finds the jars of an earlier resolution whose inputs and jars have not changed since. Uses no network. */
export function findStoredJars(host: Host, stored: StoredRequest): readonly StoredJar[] | undefined {
  const found = readResolution(host, directoryFor(host, stored));
  return found !== undefined && [...found.jars, ...found.inputs].every((stamp) => isUnchanged(host, stamp))
    ? found.jars.map(storedJar)
    : undefined;
}

/**
 * Returns the jars of packages in Spark's order: those of an earlier resolution, else resolves and downloads them.
 *
 * @throws SubmitError `SUBMIT_ERR_PACKAGE_…`
 */
export async function provideStoredJars(
  host: Host,
  stored: StoredRequest,
  progress: Progress,
): Promise<readonly StoredJar[]> {
  const known = findStoredJars(host, stored);
  if (known !== undefined) return known;
  const directory = directoryFor(host, stored);
  const inputs = startInputs();
  const lock = stored.lockPath === undefined ? undefined : ({ path: stored.lockPath, isFrozen: true } as const);
  const provided = await providePackages(host, stored.request, {
    options: { ...stored.choice, into: directory, lock, inputs },
    progress,
  });
  const jars = provided.map((jar) => storeJar(host, jar));
  const resolution: StoredResolution = { jars, inputs: [...inputs.files].flatMap((path) => stampOf(host, path)) };
  if (inputs.isVolatile) host.files.remove(`${directory}/${recordName}`);
  else replaceFile(host, `${directory}/${recordName}`, `${JSON.stringify(resolution)}\n`);
  return jars.map(storedJar);
}

function storedJar({ path, sizeBytes, hasPython }: StoredJarEntry): StoredJar {
  return { path, sizeBytes, hasPython };
}

/** Returns the directory for a request. Other repositories or another lock file can give other jars. */
function directoryFor(host: Host, { request, choice, lockPath }: StoredRequest): string {
  const lock = lockPath === undefined ? undefined : host.files.readText(lockPath);
  const identity = JSON.stringify([lockedRequest(request), repositoryAddresses(host, choice), lock]);
  return `${cacheDirectory(host)}/packages/jars/${createHash("sha256").update(identity).digest("hex").slice(0, 32)}`;
}

/** Replaces a downloaded jar by a link to the same content in the store, which all requests share. */
function storeJar(host: Host, { localPath = "", sha256 = "" }: ProvidedJar): StoredJarEntry {
  const { files, random } = host;
  const content = openFileStore(host).contentAt(sha256);
  if (content !== undefined) {
    const link = `${localPath}.${random.uuid()}`;
    files.link(content, link);
    files.rename(link, localPath);
  }
  const [stamp = { path: localPath, sizeBytes: 0, modifiedMs: 0 }] = stampOf(host, localPath);
  return { ...stamp, hasPython: hasPythonModules(files, localPath) };
}

function stampOf({ files }: Host, path: string): readonly Stamp[] {
  const info = files.info(path);
  return info === undefined ? [] : [{ path, sizeBytes: info.sizeBytes, modifiedMs: info.modifiedMs }];
}

function isUnchanged({ files }: Host, { path, sizeBytes, modifiedMs }: Stamp): boolean {
  const info: FileInfo | undefined = files.info(path);
  return info?.kind === "file" && info.sizeBytes === sizeBytes && info.modifiedMs === modifiedMs;
}

/** Reads a stored resolution; `undefined` if there is none or if it is damaged. */
function readResolution({ files }: Host, directory: string): StoredResolution | undefined {
  try {
    const { jars, inputs }: Record<string, unknown> = JSON.parse(files.readText(`${directory}/${recordName}`) ?? "");
    if (!Array.isArray(jars) || !Array.isArray(inputs)) return undefined;
    const entries = jars.filter(isJarEntry);
    const stamps = inputs.filter(isStamp);
    const isComplete = entries.length === jars.length && stamps.length === inputs.length;
    return isComplete ? { jars: entries, inputs: stamps } : undefined;
  } catch {
    return undefined;
  }
}

function isStamp(value: unknown): value is Stamp {
  if (typeof value !== "object" || value === null) return false;
  const { path, sizeBytes, modifiedMs }: Record<string, unknown> = { ...value };
  return typeof path === "string" && typeof sizeBytes === "number" && typeof modifiedMs === "number";
}

function isJarEntry(value: unknown): value is StoredJarEntry {
  return isStamp(value) && "hasPython" in value && typeof value.hasPython === "boolean";
}
