import {
  jarsExcludes,
  jarsIvy,
  jarsIvySettings,
  jarsPackages,
  jarsRepositories,
} from "../../conf/entries/app.ts";
import { newestLine } from "../../conf/spark-version.ts";
import type { Issue } from "../../errors/issue.ts";
import { failure, issue, issuesOf, type Result, success } from "../../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { type IvySettings, parseIvySettings } from "../../packages/ivy-settings.ts";
import { parseCoordinates, parseExclusions } from "../../packages/parse-coordinates.ts";
import { type ProvidedJar, type ProvideOptions, providePackages } from "../../packages/provide-packages.ts";
import type { PackageRequest } from "../../packages/resolve-packages.ts";
import { isHelpRequest, parseOptions } from "../parse-options.ts";

const packagesUsage = `Usage: firesteel packages resolve [options] [COORDINATES]

Finds the jars that Maven packages need, as spark-submit's --packages does: the same jars in the same order, under the same names.

  COORDINATES               groupId:artifactId:version, separated by commas; default: those of --conf spark.jars.packages

  --exclude-packages LIST   groupId:artifactId of what is not wanted, separated by commas; * stands for anything
  --repositories LIST       more repositories, separated by commas: https://…, file:/…
  --into DIR                the folder for the jars (default: jars in Ivy's folder, as Spark has it)
  --list                    only tells which jars there are
  --no-transitive           only the packages themselves
  --lock FILE               writes which jars these are, with their SHA-256; what is there already must agree
  --frozen                  takes the jars of the lock file, and looks for nothing else
  --offline                 takes only what is here: fetched before by Firesteel, Ivy or Maven
  --conf KEY=VALUE          spark.jars.packages, .excludes, .repositories, .ivy, .ivySettings
  --json                    for programs

Mirrors and credentials come from ~/.m2/settings.xml, and from URLs. DEFAULT_ARTIFACT_REPOSITORY stands for Spark's own repositories.
`;

const grammar = {
  flags: ["--list", "--no-transitive", "--frozen", "--offline", "--json"],
  values: ["--exclude-packages", "--repositories", "--into", "--lock", "--conf"],
  maxPositionals: 1,
} as const;

/** `firesteel packages …`: gives the exit code. */
export async function runPackagesCommand(host: Host, args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined || isHelpRequest(args)) {
    (command === undefined ? host.stderr : host.stdout).write(packagesUsage);
    return command === undefined ? 1 : 0;
  }
  if (command !== "resolve")
    throw submitError("SUBMIT_ERR_COMMAND_UNKNOWN", { command: `packages ${command}`, known: ["resolve"] });
  const { request, options, isJson } = parseArgv(host, rest);
  const jars = await providePackages(host, request, { options, progress: showProgress(host) });
  host.stdout.write(isJson ? `${JSON.stringify({ jars }, undefined, 2)}\n` : printJars(jars));
  return 0;
}

interface Asked {
  readonly request: PackageRequest;
  readonly options: ProvideOptions;
  readonly isJson: boolean;
}

function parseArgv(host: Host, args: readonly string[]): Asked {
  const flags = parseOptions(args, grammar);
  const issues: Issue[] = [];
  const settings = new Map(
    flags.values("--conf").map((text): readonly [string, string] => {
      const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === "") issues.push(issue("SUBMIT_ERR_ARG_CONF", { text }));
      return [key, value];
    }),
  );
  const packages = flags.words[0] ?? settings.get(jarsPackages.key);
  const coordinates = packages === undefined ? noPackages() : parseCoordinates(packages);
  const exclusions = parseExclusions(
    [settings.get(jarsExcludes.key), ...flags.values("--exclude-packages")].join(","),
  );
  const lock = flags.value("--lock");
  if (flags.has("--frozen") && lock === undefined)
    issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--lock" }));
  const ivySettings = readIvySettings(host, settings.get(jarsIvySettings.key));
  throwIssues([...issues, ...issuesOf(coordinates), ...issuesOf(exclusions), ...issuesOf(ivySettings)]);
  const ivyFolder = absolute(host, ivyFolderOf(host, settings.get(jarsIvy.key)));
  const into = flags.value("--into");
  const urls = [...flags.values("--repositories"), settings.get(jarsRepositories.key) ?? ""];
  return {
    request: {
      coordinates: orThrow(coordinates),
      exclusions: orThrow(exclusions),
      isTransitive: !flags.has("--no-transitive"),
    },
    options: {
      urls: urls.flatMap((list) => list.split(",")).filter((url) => url.trim() !== ""),
      ivyFolder,
      ivySettings: orThrow(ivySettings),
      isOffline: flags.has("--offline"),
      into: flags.has("--list") ? undefined : into === undefined ? `${ivyFolder}/jars` : absolute(host, into),
      lock: lock === undefined ? undefined : { path: absolute(host, lock), isFrozen: flags.has("--frozen") },
    },
    isJson: flags.has("--json"),
  };
}

function readIvySettings(host: Host, given: string | undefined): Result<IvySettings | undefined> {
  if (given === undefined) return success(undefined);
  const [, scheme = "file", place = given] = /^([a-zA-Z][\w+.-]*):(.*)$/.exec(given) ?? [];
  if (scheme !== "file")
    return failure("SUBMIT_ERR_IVY_SETTINGS_SCHEME", { scheme, key: jarsIvySettings.key });
  const path = absolute(host, place.replace(/^\/\/+/, "/"));
  const info = host.files.info(path);
  const text = info?.kind === "file" ? host.files.readText(path) : undefined;
  if (text !== undefined) return parseIvySettings({ path, text, env: host.env, home: host.user.home });
  const reason = info === undefined ? "does not exist" : "is not a normal file";
  return failure("SUBMIT_ERR_IVY_SETTINGS", { path, reason });
}

function noPackages(): Result<never> {
  return {
    ok: false,
    issues: [issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "packages resolve" })],
  };
}

/** As Spark has it: a folder of its own since 4.0. */
function ivyFolderOf(host: Host, given: string | undefined): string {
  if (given !== undefined && given.trim() !== "") return given;
  const line = host.env["FIRESTEEL_SPARK_VERSION"] ?? newestLine;
  return `${host.user.home}/${line.startsWith("3.") ? ".ivy2" : ".ivy2.5.2"}`;
}

function absolute(host: Host, path: string): string {
  return path.startsWith("/") ? path : `${host.cwd}/${path}`;
}

function printJars(jars: readonly ProvidedJar[]): string {
  return jars.map(({ localPath, coordinate }) => `${localPath ?? coordinate}\n`).join("");
}
