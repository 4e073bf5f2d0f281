import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { type ProvidedJar, providePackages } from "../../packages/provide-packages.ts";
import { selectCommand } from "../select-command.ts";
import { parseLock, parseResolve } from "./package-options.ts";

const packagesUsage = `Usage: firesteel packages resolve [options] [COORDINATES]
       firesteel packages lock [options] [COORDINATES]

resolve  Resolve Maven packages and download their jars, as --packages of spark-submit does: the same jars with the
         same names in the same order.
lock     Resolve them, and write a lock file with the SHA-256 of each jar. spark-submit in the same directory then uses
         exactly these jars for --packages.

  COORDINATES               groupId:artifactId:version, separated by commas (default: --conf spark.jars.packages)

  --exclude-packages LIST   groupId:artifactId of packages to exclude, separated by commas; * matches any text
  --repositories LIST       additional repositories, separated by commas: https://…, file:/…
  --into DIR                resolve: directory for the jars (default: jars in Ivy's directory, as for Spark)
  --list                    resolve: list of the jars, without a download into DIR
  --no-transitive           packages without their dependencies
  --lock FILE               lock file; the digests of an existing file must match (default of lock: spark-packages.lock)
  --frozen                  resolve: jars of the lock file only, without resolution
  --offline                 jars that Firesteel, Ivy or Maven downloaded before
  --conf KEY=VALUE          spark.jars.packages, .excludes, .repositories, .ivy, .ivySettings
  --json                    JSON output

Mirrors and credentials come from ~/.m2/settings.xml and from URLs. DEFAULT_ARTIFACT_REPOSITORY replaces Spark's
repositories.
`;

/** Runs `firesteel packages`. @returns the exit code */
export async function runPackagesCommand(host: Host, args: readonly string[]): Promise<number> {
  const commands = ["resolve", "lock"] as const;
  const selected = selectCommand(host, args, { group: "packages", usage: packagesUsage, commands });
  if (selected.command === undefined) return selected.exitCode;
  return selected.command === "resolve" ? resolve(host, selected.rest) : lock(host, selected.rest);
}

async function resolve(host: Host, args: readonly string[]): Promise<number> {
  const { request, options, isJson } = parseResolve(host, args);
  const jars = await providePackages(host, request, { options, progress: showProgress(host) });
  host.stdout.write(isJson ? `${JSON.stringify({ jars }, undefined, 2)}\n` : printJars(jars));
  return 0;
}

/** Writes a lock file. Its jars stay in the cache. */
async function lock(host: Host, args: readonly string[]): Promise<number> {
  const { request, choice, path, isJson } = parseLock(host, args);
  const into = host.files.makeTemporaryDirectory(`${host.files.temporaryRoot}/firesteel-lock-`);
  try {
    const options = { ...choice, into, lock: { path, isFrozen: false } };
    const provided = await providePackages(host, request, { options, progress: showProgress(host) });
    const jars = provided.map(({ localPath: _, ...jar }) => jar);
    const text = `Locked ${jars.length === 1 ? "one jar" : `${jars.length} jars`} in ${visibleLine(path)}\n`;
    host.stdout.write(isJson ? `${JSON.stringify({ path, jars }, undefined, 2)}\n` : text);
    return 0;
  } finally {
    host.files.remove(into);
  }
}

function printJars(jars: readonly ProvidedJar[]): string {
  return jars.map(({ localPath, coordinate }) => `${visibleLine(localPath ?? coordinate)}\n`).join("");
}
