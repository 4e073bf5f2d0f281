import { jarsExcludes, jarsIvy, jarsIvySettings, jarsPackages, jarsRepositories } from "../../conf/entries/app.ts";
import { newestLine } from "../../conf/spark-version.ts";
import type { Issue } from "../../errors/issue.ts";
import { failure, issue, issuesOf, type Result, success } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { showProgress } from "../../host/progress.ts";
import { visibleLine } from "../../host/visible-text.ts";
import { type IvySettings, parseIvySettings } from "../../packages/ivy-settings.ts";
import { parseCoordinates, parseExclusions } from "../../packages/parse-coordinates.ts";
import { type ProvidedJar, type ProvideOptions, providePackages } from "../../packages/provide-packages.ts";
import type { PackageRequest } from "../../packages/resolve-packages.ts";
import { parseOptions } from "../parse-options.ts";
import { selectCommand } from "../select-command.ts";

const packagesUsage = `Usage: firesteel packages resolve [options] [COORDINATES]

Resolve Maven packages and download their jars, as --packages of spark-submit does: the same jars with the same names
in the same order.

  COORDINATES               groupId:artifactId:version, separated by commas (default: --conf spark.jars.packages)

  --exclude-packages LIST   groupId:artifactId of packages to exclude, separated by commas; * matches any text
  --repositories LIST       additional repositories, separated by commas: https://…, file:/…
  --into DIR                directory for the jars (default: jars in Ivy's directory, as for Spark)
  --list                    list of the jars, without a download into DIR
  --no-transitive           packages without their dependencies
  --lock FILE               lock file with the SHA-256 of each jar; an existing file must match
  --frozen                  jars of the lock file only, without resolution
  --offline                 jars that Firesteel, Ivy or Maven downloaded before
  --conf KEY=VALUE          spark.jars.packages, .excludes, .repositories, .ivy, .ivySettings
  --json                    JSON output

Mirrors and credentials come from ~/.m2/settings.xml and from URLs. DEFAULT_ARTIFACT_REPOSITORY replaces Spark's
repositories.
`;

const grammar = {
  flags: ["--list", "--no-transitive", "--frozen", "--offline", "--json"],
  values: ["--exclude-packages", "--repositories", "--into", "--lock", "--conf"],
  maxPositionals: 1,
} as const;

/** Runs `firesteel packages`. @returns the exit code */
export async function runPackagesCommand(host: Host, args: readonly string[]): Promise<number> {
  const selected = selectCommand(host, args, { group: "packages", usage: packagesUsage, commands: ["resolve"] });
  if (selected.command === undefined) return selected.exitCode;
  const { request, options, isJson } = parseRequest(host, selected.rest);
  const jars = await providePackages(host, request, { options, progress: showProgress(host) });
  host.stdout.write(isJson ? `${JSON.stringify({ jars }, undefined, 2)}\n` : printJars(jars));
  return 0;
}

interface ParsedRequest {
  readonly request: PackageRequest;
  readonly options: ProvideOptions;
  readonly isJson: boolean;
}

function parseRequest(host: Host, args: readonly string[]): ParsedRequest {
  const flags = parseOptions(args, grammar);
  const issues: Issue[] = [];
  const settings = new Map(
    flags.values("--conf").map((text): readonly [string, string] => {
      const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === "") issues.push(issue("SUBMIT_ERR_ARG_CONF", { text }));
      return [key, value];
    }),
  );
  const packages = flags.positionals[0] ?? settings.get(jarsPackages.key);
  const coordinates = packages === undefined ? noPackages() : parseCoordinates(packages);
  const exclusions = parseExclusions([settings.get(jarsExcludes.key), ...flags.values("--exclude-packages")].join(","));
  const lock = flags.value("--lock");
  if (flags.has("--frozen") && lock === undefined)
    issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--lock" }));
  const ivySettings = readIvySettings(host, settings.get(jarsIvySettings.key));
  throwIssues([...issues, ...issuesOf(coordinates), ...issuesOf(exclusions), ...issuesOf(ivySettings)]);
  const ivyDirectory = absolute(host, ivyDirectoryOf(host, settings.get(jarsIvy.key)));
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
      ivyDirectory: ivyDirectory,
      ivySettings: orThrow(ivySettings),
      isOffline: flags.has("--offline"),
      into: flags.has("--list") ? undefined : into === undefined ? `${ivyDirectory}/jars` : absolute(host, into),
      lock: lock === undefined ? undefined : { path: absolute(host, lock), isFrozen: flags.has("--frozen") },
    },
    isJson: flags.has("--json"),
  };
}

function readIvySettings(host: Host, uri: string | undefined): Result<IvySettings | undefined> {
  if (uri === undefined) return success(undefined);
  const [, scheme = "file", location = uri] = /^([a-zA-Z][\w+.-]*):(.*)$/.exec(uri) ?? [];
  if (scheme !== "file") return failure("SUBMIT_ERR_IVY_SETTINGS_SCHEME", { scheme, key: jarsIvySettings.key });
  const path = absolute(host, location.replace(/^\/\/+/, "/"));
  const info = host.files.info(path);
  const text = info?.kind === "file" ? host.files.readText(path) : undefined;
  if (text !== undefined) return parseIvySettings({ path, text, env: host.env, home: host.user.home });
  const reason = info === undefined ? "does not exist" : "is not a normal file";
  return failure("SUBMIT_ERR_IVY_SETTINGS", { path, reason });
}

function noPackages(): Result<never> {
  return {
    ok: false,
    issues: [
      issue("SUBMIT_ERR_ARGUMENT_MISSING", {
        ...{ command: "packages resolve", what: "the coordinates of packages" },
        allowed: "GROUP:ARTIFACT:VERSION, separated by commas",
        example: "org.apache.spark:spark-avro_2.13:4.3.0",
      }),
    ],
  };
}

/** Returns Ivy's directory as Spark does, which has its own since 4.0. */
function ivyDirectoryOf(host: Host, specified: string | undefined): string {
  if (specified !== undefined && specified.trim() !== "") return specified;
  const line = host.env["FIRESTEEL_SPARK_VERSION"] ?? newestLine;
  return `${host.user.home}/${line.startsWith("3.") ? ".ivy2" : ".ivy2.5.2"}`;
}

function absolute(host: Host, path: string): string {
  return path.startsWith("/") ? path : `${host.cwd}/${path}`;
}

function printJars(jars: readonly ProvidedJar[]): string {
  return jars.map(({ localPath, coordinate }) => `${visibleLine(localPath ?? coordinate)}\n`).join("");
}
