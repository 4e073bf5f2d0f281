import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { unlessForbidden } from "../host/unless-forbidden.ts";
import { installJava } from "./install-java.ts";
import { type JavaHome, readJavaHome } from "./java-home.ts";

/** The oldest Java that every Spark we speak runs on, and the newest that all of them do. */
const oldest = 17;
const newestForAll = 21;

/**
 * A Java for Spark: JAVA_HOME, else the one on PATH, else our cache, else the system's folders, else a new one in our cache.
 *
 * @throws SubmitError `SUBMIT_ERR_JAVA_MISSING` when none can be had, with what to install.
 */
export async function findJava(host: Host, progress: Progress): Promise<JavaHome> {
  return localJava(host) ?? (await installJava(host, progress));
}

/** The Java that is here already. What the user chose wins; among the others, one that suits every Spark. */
export function localJava(host: Host): JavaHome | undefined {
  const usable = (paths: readonly string[]) =>
    paths.flatMap((path) => readJavaHome(host, path) ?? []).filter(({ major }) => major >= oldest);
  const named = host.env["JAVA_HOME"];
  const [chosen] = usable([...(named === undefined || named === "" ? [] : [named]), ...homesOnPath(host)]);
  if (chosen !== undefined) return chosen;
  const others = usable([...cachedHomes(host), ...systemHomes(host)]);
  return others.find(({ major }) => major <= newestForAll) ?? others[0];
}

function homesOnPath(host: Host): readonly string[] {
  return (host.env["PATH"] ?? "").split(":").flatMap((folder) => {
    const java = folder === "" ? undefined : unlessForbidden(() => host.files.realPath(`${folder}/java`));
    return java?.endsWith("/bin/java") === true ? [java.slice(0, -"/bin/java".length)] : [];
  });
}

function cachedHomes(host: Host): readonly string[] {
  return foldersOf(host, `${cacheDirectory(host)}/java`);
}

function systemHomes(host: Host): readonly string[] {
  const macHomes = foldersOf(host, "/Library/Java/JavaVirtualMachines").map(
    (path) => `${path}/Contents/Home`,
  );
  return [
    ...foldersOf(host, "/usr/lib/jvm"),
    ...macHomes,
    ...foldersOf(host, "/opt/java"),
    ...foldersOf(host, `${host.user.home}/.sdkman/candidates/java`),
  ];
}

function foldersOf(host: Host, parent: string): readonly string[] {
  return (unlessForbidden(() => host.files.list(parent)) ?? [])
    .filter((name) => !name.startsWith("."))
    .map((name) => `${parent}/${name}`);
}
