import { jarsExcludes, jarsIvy, jarsIvySettings, jarsPackages, jarsRepositories } from "../../conf/entries/app.ts";
import { packagesLock } from "../../conf/entries/packages.ts";
import { newestLine } from "../../conf/spark-version.ts";
import { type Issue, issue, issuesOf, type Result } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { ivyDirectoryOf } from "../../packages/ivy-directory.ts";
import { parseCoordinates, parseExclusions } from "../../packages/parse-coordinates.ts";
import type { ProvideOptions } from "../../packages/provide-packages.ts";
import { readIvySettings } from "../../packages/read-ivy-settings.ts";
import type { RepositoryChoice } from "../../packages/repositories.ts";
import type { PackageRequest } from "../../packages/resolve-packages.ts";
import { parseOptions } from "../parse-options.ts";
import type { ParsedOptions } from "../parsed-options.ts";

const lockGrammar = {
  flags: ["--no-transitive", "--offline", "--json"],
  values: ["--exclude-packages", "--repositories", "--lock", "--conf"],
  maxPositionals: 1,
} as const;

const resolveGrammar = {
  flags: [...lockGrammar.flags, "--list", "--frozen"],
  values: [...lockGrammar.values, "--into"],
  maxPositionals: 1,
} as const;

type CommonOptions = ParsedOptions<(typeof lockGrammar.flags)[number], (typeof lockGrammar.values)[number]>;

/** Packages of a command line, and where their jars are searched. */
interface PackageOptions {
  readonly request: PackageRequest;
  readonly choice: RepositoryChoice;
  readonly isJson: boolean;
}

/** Parses the arguments of `packages resolve`. @throws SubmitError with every problem */
export function parseResolve(
  host: Host,
  args: readonly string[],
): Omit<PackageOptions, "choice"> & { readonly options: ProvideOptions } {
  const flags = parseOptions(args, resolveGrammar);
  const lock = flags.value("--lock");
  const isFrozen = flags.has("--frozen");
  const missing = isFrozen && lock === undefined ? [issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: "--lock" })] : [];
  const { choice, ...parsed } = parsePackages(host, flags, { command: "packages resolve", issues: missing });
  const into = flags.value("--into");
  const directory = into === undefined ? `${choice.ivyDirectory}/jars` : absolutePath(host, into);
  return {
    ...parsed,
    options: {
      ...choice,
      into: flags.has("--list") ? undefined : directory,
      lock: lock === undefined ? undefined : { path: absolutePath(host, lock), isFrozen },
    },
  };
}

/** Parses the arguments of `packages lock`. @throws SubmitError with every problem */
export function parseLock(host: Host, args: readonly string[]): PackageOptions & { readonly path: string } {
  const flags = parseOptions(args, lockGrammar);
  const path = absolutePath(host, flags.value("--lock") ?? packagesLock.absent);
  return { ...parsePackages(host, flags, { command: "packages lock", issues: [] }), path };
}

function parsePackages(
  host: Host,
  flags: CommonOptions,
  { command, issues: known }: { readonly command: string; readonly issues: readonly Issue[] },
): PackageOptions {
  const issues: Issue[] = [...known];
  const settings = new Map(
    flags.values("--conf").map((text): readonly [string, string] => {
      const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (key === "") issues.push(issue("SUBMIT_ERR_ARG_CONF", { text }));
      return [key, value];
    }),
  );
  const packages = flags.positionals[0] ?? settings.get(jarsPackages.key);
  const coordinates = packages === undefined ? noPackages(command) : parseCoordinates(packages);
  const exclusions = parseExclusions([settings.get(jarsExcludes.key), ...flags.values("--exclude-packages")].join(","));
  const ivySettings = readIvySettings(host, { key: jarsIvySettings.key, value: settings.get(jarsIvySettings.key) });
  throwIssues([...issues, ...[coordinates, exclusions, ivySettings].flatMap(issuesOf)]);
  const line = host.env["FIRESTEEL_SPARK_VERSION"] ?? newestLine;
  const urls = [...flags.values("--repositories"), settings.get(jarsRepositories.key) ?? ""];
  return {
    request: {
      coordinates: orThrow(coordinates),
      exclusions: orThrow(exclusions),
      isTransitive: !flags.has("--no-transitive"),
    },
    choice: {
      urls: urls.flatMap((list) => list.split(",")).filter((url) => url.trim() !== ""),
      ivyDirectory: ivyDirectoryOf(host, settings.get(jarsIvy.key), line),
      ivySettings: orThrow(ivySettings),
      isOffline: flags.has("--offline"),
    },
    isJson: flags.has("--json"),
  };
}

function noPackages(command: string): Result<never> {
  return {
    ok: false,
    issues: [
      issue("SUBMIT_ERR_ARGUMENT_MISSING", {
        ...{ command, what: "the coordinates of packages" },
        allowed: "GROUP:ARTIFACT:VERSION, separated by commas",
        example: "org.apache.spark:spark-avro_2.13:4.3.0",
      }),
    ],
  };
}
