import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { artifactPath, retrievedName } from "./m2-path.ts";
import { printRevision } from "./module-revision.ts";
import type { PackageRequest, ResolvedJar } from "./resolve-packages.ts";

/** A jar in a lock file. */
export interface LockedJar {
  /** `group:artifact:version`, and a classifier after another colon. */
  readonly coordinate: string;
  /** Path in a Maven repository. */
  readonly path: string;
  /** Spark's name of the file. */
  readonly file: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Request in a comparable form. */
interface LockedRequest {
  readonly packages: readonly string[];
  readonly excludes: readonly string[];
  readonly transitive: boolean;
}

/** Properties of a jar that are known before it is downloaded. */
export type ExpectedJar = Omit<LockedJar, "sha256" | "sizeBytes">;

/** Builds the lock file entry of a resolved jar. */
export function expectedJar({ module, artifact }: ResolvedJar): ExpectedJar {
  const suffix = artifact.classifier === undefined ? "" : `:${artifact.classifier}`;
  return {
    coordinate: `${printRevision({ ...module, artifact: artifact.name })}${suffix}`,
    path: artifactPath(module, artifact),
    file: retrievedName(module, artifact),
  };
}

/** Builds the lock file's form of a request. */
export function lockedRequest({ coordinates, exclusions, isTransitive }: PackageRequest): LockedRequest {
  return {
    packages: coordinates.map(printRevision),
    excludes: exclusions.map(({ group, artifact }) => `${group}:${artifact}`),
    transitive: isTransitive !== false,
  };
}

/** Prints a lock file: the same text for the same jars. */
export function printLock(request: LockedRequest, jars: readonly LockedJar[]): string {
  return `${JSON.stringify({ version: 1, ...request, jars }, undefined, 2)}\n`;
}

/**
 * Reads a lock file. Returns `undefined` if it does not exist.
 *
 * @throws SubmitError `SUBMIT_ERR_PACKAGE_LOCK` for an invalid file
 */
export function readLock(
  host: Host,
  path: string,
  request: LockedRequest,
): { readonly jars: readonly LockedJar[]; readonly isOfRequest: boolean } | undefined {
  const text = host.files.readText(path);
  if (text === undefined) return undefined;
  const lock = parseJson(text);
  const jars = fieldsOf(lock)["jars"];
  if (fieldsOf(lock)["version"] !== 1 || !Array.isArray(jars))
    throw submitError("SUBMIT_ERR_PACKAGE_LOCK", { path, reason: "it is not a version 1 lock file" });
  const { packages, excludes, transitive } = fieldsOf(lock);
  const isOfRequest = JSON.stringify({ packages, excludes, transitive }) === JSON.stringify(request);
  return { jars: jars.map((jar) => lockedJar(jar, path)), isOfRequest };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Validates a jar. A file name with a directory could escape the target directory. */
function lockedJar(value: unknown, path: string): LockedJar {
  const { coordinate, path: jarPath, file, sha256, sizeBytes } = fieldsOf(value);
  const isValid =
    typeof coordinate === "string" &&
    typeof jarPath === "string" &&
    !jarPath.split("/").includes("..") &&
    typeof file === "string" &&
    /^[^/\\]+\.jar$/.test(file) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    typeof sizeBytes === "number";
  if (!isValid) throw submitError("SUBMIT_ERR_PACKAGE_LOCK", { path, reason: "one of its jars is incomplete" });
  return { coordinate, path: jarPath, file, sha256, sizeBytes };
}
