import type { Host } from "../../host/host.ts";
import { makeProcessDirectory } from "../../host/make-process-directory.ts";
import { showProgress } from "../../host/progress.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { type ProvidedJar, providePackages } from "../../packages/provide-packages.ts";
import { selectCommand } from "../select-command.ts";
import { parseLock, parseResolve } from "./package-options.ts";

const packagesUsage = `Usage: firesteel packages <command> [options] [COORDINATES]

Resolve Maven packages as --packages of spark-submit does.

  resolve  resolve packages and download their jars
  lock     resolve packages, and write a lock file with the SHA-256 of each jar

For the options of a command, run: firesteel packages <command> --help
`;

const sources = `  --conf KEY=VALUE          spark.jars.packages, .excludes, .repositories, .ivy, .ivySettings
  --json                    JSON output

Mirrors and credentials come from ~/.m2/settings.xml and from URLs. DEFAULT_ARTIFACT_REPOSITORY replaces Spark's
repositories.
`;

const coordinates = `  COORDINATES               groupId:artifactId:version, separated by commas (default: --conf spark.jars.packages)

Options:
  --exclude-packages LIST   groupId:artifactId of packages to exclude, separated by commas; * matches any text
  --repositories LIST       additional repositories, separated by commas: https://…, file:/…
`;

const usages = {
  resolve: `Usage: firesteel packages resolve [options] [COORDINATES]

Resolve Maven packages and download their jars, as --packages of spark-submit does: the same jars with the same names
in the same order.

${coordinates}\
  --into DIR                directory for the jars (default: jars in Ivy's directory, as for Spark)
  --list                    list of the jars, without a download into DIR
  --no-transitive           packages without their dependencies
  --lock FILE               lock file with the SHA-256 of each jar; an existing file must match
  --frozen                  jars of the lock file only, without resolution
  --offline                 jars that Firesteel, Ivy or Maven downloaded before
${sources}`,
  lock: `Usage: firesteel packages lock [options] [COORDINATES]

Resolve Maven packages, and write a lock file with the SHA-256 of each jar. spark-submit in the same directory then uses
exactly these jars for --packages.

${coordinates}\
  --no-transitive           packages without their dependencies
  --lock FILE               lock file; the digests of an existing file must match (default: spark-packages.lock)
  --offline                 jars that Firesteel, Ivy or Maven downloaded before
${sources}`,
};

/** Runs `firesteel packages`. @returns the exit code */
export async function runPackagesCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "packages", usage: packagesUsage, usages });
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
  const into = makeProcessDirectory(host, `${host.files.temporaryRoot}/firesteel-lock-`);
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
