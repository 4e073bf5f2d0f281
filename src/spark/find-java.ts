import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { undefinedIfForbidden } from "../host/undefined-if-forbidden.ts";
import { type JavaHome, readJavaHome } from "./java-home.ts";

/** Oldest Java that all supported Spark versions run on, and the newest. */
const minMajor = 17;
const maxMajorForAll = 21;

/**
 * Finds a Java for Spark: JAVA_HOME, PATH, Firesteel's cache, the system's directories, or a new one in the cache.
 *
 * @throws SubmitError `SUBMIT_ERR_JAVA_MISSING` when none is available, with what to install.
 */
export async function findJava(host: Host, progress: Progress): Promise<JavaHome> {
  const local = localJava(host);
  if (local !== undefined) return local;
  const { installJava } = await import("./install-java.ts");
  return await installJava(host, progress);
}

/** Finds a Java on this machine. The user's choice wins. Among the others, one that suits every Spark. */
export function localJava(host: Host): JavaHome | undefined {
  const usable = (paths: readonly string[]) =>
    paths.flatMap((path) => readJavaHome(host, path) ?? []).filter(({ major }) => major >= minMajor);
  const named = host.env["JAVA_HOME"];
  const [chosen] = usable([...(named === undefined || named === "" ? [] : [named]), ...homesOnPath(host)]);
  if (chosen !== undefined) return chosen;
  const others = usable([...cachedHomes(host), ...systemHomes(host)]);
  return others.find(({ major }) => major <= maxMajorForAll) ?? others[0];
}

function homesOnPath(host: Host): readonly string[] {
  return (host.env["PATH"] ?? "").split(":").flatMap((directory) => {
    const java = directory === "" ? undefined : undefinedIfForbidden(() => host.files.realPath(`${directory}/java`));
    return java?.endsWith("/bin/java") === true ? [java.slice(0, -"/bin/java".length)] : [];
  });
}

function cachedHomes(host: Host): readonly string[] {
  return directoriesIn(host, `${cacheDirectory(host)}/java`);
}

function systemHomes(host: Host): readonly string[] {
  const macHomes = directoriesIn(host, "/Library/Java/JavaVirtualMachines").map((path) => `${path}/Contents/Home`);
  return [
    ...directoriesIn(host, "/usr/lib/jvm"),
    ...macHomes,
    ...directoriesIn(host, "/opt/java"),
    ...directoriesIn(host, `${host.user.home}/.sdkman/candidates/java`),
  ];
}

function directoriesIn(host: Host, parent: string): readonly string[] {
  return (undefinedIfForbidden(() => host.files.list(parent)) ?? [])
    .filter((name) => !name.startsWith("."))
    .map((name) => `${parent}/${name}`);
}
