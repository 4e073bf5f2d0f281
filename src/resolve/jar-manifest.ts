import type { Behaviors } from "../conf/behaviors.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";
import type { Manifest } from "./manifest-content.ts";

/**
 * Reads `Main-Class` from a jar's manifest, for an application without a specified class. The jar must be on this
 * machine, or at an `http:` or `https:` URL.
 *
 * Errors: SUBMIT_ERR_MAIN_CLASS_UNREADABLE, SUBMIT_ERR_MAIN_CLASS_MISSING.
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export async function readMainClass(uri: string, { host, behaviors }: JarReader): Promise<Result<string>> {
  const manifest = await readManifest(uri, host);
  if (!manifest.ok) return manifest;
  const { value } = manifest;
  if (behaviors.mainClassLookup === "spark" && value.text === undefined) return unreadable(noManifest);
  if (value.problem !== undefined) return unreadable(`${uri.replace(/^file:/, "")} ${value.problem}`);
  const mainClass = attributeOf(value.text ?? "", "Main-Class");
  return mainClass === undefined ? failure("SUBMIT_ERR_MAIN_CLASS_MISSING", {}) : success(mainClass);
}

/** Returns whether a jar of this machine contains R packages, which Spark would build. Source: Spark RPackageUtils. */
export async function hasRPackages(uri: string, host: Host): Promise<boolean> {
  const location = parseDependencyUri(uri);
  if (location.kind !== "submitterLocal") return false;
  const manifest = await readLocalManifest(uri, location.path, host);
  return manifest.ok && attributeOf(manifest.value.text ?? "", "Spark-HasRPackage")?.trim() === "true";
}

/** Dependencies of reading a jar. */
interface JarReader {
  readonly host: Host;
  readonly behaviors: Pick<Behaviors, "mainClassLookup">;
}

const noManifest =
  'Cannot invoke "java.util.jar.Manifest.getMainAttributes()" because the return value of "java.util.jar.JarInputStream.getManifest()" is null';

async function readManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const location = parseDependencyUri(uri);
  switch (location.kind) {
    case "submitterLocal":
      return readLocalManifest(uri, location.path, host);
    case "containerLocal":
      return unreadable('No FileSystem for scheme "local"');
    case "remote": {
      const { isFetched } = await import("./fetch-remote.ts");
      return isFetched(location.scheme)
        ? fetchManifest(uri, host)
        : unreadable(`No FileSystem for scheme "${location.scheme}"`);
    }
  }
}

function unreadable(reason: string): Result<never> {
  return failure("SUBMIT_ERR_MAIN_CLASS_UNREADABLE", { reason });
}

/** Limit of what is fetched of a jar for its manifest. */
const maxFetchedBytes = 1024 * 1024;

async function fetchManifest(uri: string, host: Host): Promise<Result<Manifest>> {
  const { fetchRemote } = await import("./fetch-remote.ts");
  try {
    const { bytes } = await fetchRemote(host, uri, maxFetchedBytes);
    const { leadingManifest } = await import("./leading-manifest.ts");
    return success(leadingManifest(bytes));
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

/** Prints a path as Hadoop does, without escapes. */
function printPath(uri: string, path: string): string {
  const [, fragment] = uri.split("#");
  return uri.startsWith("file:") ? `file:${path}${fragment === undefined ? "" : `#${fragment}`}` : uri;
}

async function readLocalManifest(uri: string, path: string, { files }: Host): Promise<Result<Manifest>> {
  const info = files.info(path);
  if (info?.kind === "directory") return unreadable(`${path.replace(/\/$/, "")} (Is a directory)`);
  const [{ zipManifest }, { localZip }] = await Promise.all([
    import("./zip-manifest.ts"),
    import("../host/zip-directory.ts"),
  ]);
  const zip = localZip(files, path);
  return zip === undefined ? unreadable(`File ${printPath(uri, path)} does not exist`) : success(zipManifest(zip));
}

/** Reads an attribute of the main section, which ends at the first empty line. A line that starts with a space continues the previous one. The last duplicate wins. */
function attributeOf(manifest: string, name: string): string | undefined {
  const [main = ""] = manifest.replaceAll(/\r\n?/g, "\n").split("\n\n");
  const line = main
    .replaceAll("\n ", "")
    .split("\n")
    .findLast((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.replace(/^[^:]*: ?/, "");
}
