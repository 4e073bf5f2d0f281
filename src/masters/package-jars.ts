import { jarsExcludes, jarsIvy, jarsIvySettings, jarsPackages } from "../conf/entries/app.ts";
import { packagesLock } from "../conf/entries/packages.ts";
import type { Setting, SettingOrigin } from "../conf/setting.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { issuesOf } from "../errors/issue.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import { absolutePath } from "../host/absolute-path.ts";
import { ivyDirectoryOf } from "../packages/ivy-directory.ts";
import { parseCoordinates, parseExclusions } from "../packages/parse-coordinates.ts";
import { readIvySettings } from "../packages/read-ivy-settings.ts";
import type { StoredJar, StoredRequest } from "../packages/stored-jars.ts";
import { languageOf } from "../plan/app-resource.ts";
import type { FieldName } from "../plan/submit-fields.ts";
import type { ResolvedSubmission } from "../resolve/resolve-submission.ts";
import { substitutionSources } from "../resolve/substitution-sources.ts";
import { printFileUri } from "../values/uri.ts";

/** Whether a submission has packages. */
export function hasPackages({ fields }: Pick<ResolvedSubmission, "fields">): boolean {
  return (fields.get("packages")?.value ?? "").trim() !== "";
}

/**
 * Returns the packages of a submission, and where their jars are searched: in the submitter's repositories and lock file.
 *
 * @throws SubmitError with every invalid coordinate, exclusion and setting
 */
export function packageRequest(submission: ResolvedSubmission): StoredRequest {
  const { host, fields, read, version } = submission;
  const textOf = (name: FieldName) => fields.get(name)?.value ?? "";
  const conf = new SparkConf(read.settings.values(), version, substitutionSources(host));
  const coordinates = parseCoordinates(textOf("packages"));
  const exclusions = parseExclusions(textOf("packagesExclusions"));
  const ivySettings = readIvySettings(host, {
    key: jarsIvySettings.key,
    value: conf.readOrAbsent(jarsIvySettings),
  });
  throwIssues([
    ...[coordinates, exclusions, ivySettings].flatMap(issuesOf),
    ...conf.check([jarsIvy, jarsIvySettings, packagesLock]),
  ]);
  return {
    request: { coordinates: orThrow(coordinates), exclusions: orThrow(exclusions) },
    choice: {
      urls: listOf(textOf("repositories")),
      ivyDirectory: ivyDirectoryOf(host, conf.get(jarsIvy), version.line),
      ivySettings: orThrow(ivySettings),
      isOffline: false,
    },
    lockPath: lockPathOf(submission, conf),
  };
}

/** Returns the path of the specified lock file, or of the default one if it exists. */
function lockPathOf({ host }: ResolvedSubmission, conf: SparkConf): string | undefined {
  const file = conf.get(packagesLock);
  if (file === "") return undefined;
  const path = absolutePath(host, file);
  return conf.has(packagesLock) || host.files.info(path)?.kind === "file" ? path : undefined;
}

/**
 * Adds the jars of a submission's packages to its jars and, if they contain Python modules, to the Python files of a Python
 * application. Removes the packages, so that no driver resolves them again.
 *
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 */
export function withPackageJars(submission: ResolvedSubmission, jars: readonly StoredJar[]): ResolvedSubmission {
  const { fields, invocation, read } = submission;
  const joined = (name: FieldName, added: readonly StoredJar[]) => {
    const uris = added.map(({ path }) => printFileUri(path));
    return { value: [...listOf(fields.get(name)?.value ?? ""), ...uris].join(","), origin };
  };
  const more = new Map(fields).set("jars", joined("jars", jars));
  const modules = jars.filter(({ hasPython }) => hasPython);
  if (languageOf(invocation.resource) === "python" && modules.length > 0) {
    more.set("pyFiles", joined("pyFiles", modules));
  }
  more.delete("packages");
  more.delete("packagesExclusions");
  const settings = new Map<string, Setting>(read.settings);
  for (const { key } of [jarsPackages, jarsExcludes]) settings.delete(key);
  return { ...submission, fields: more, read: { ...read, settings } };
}

const origin: SettingOrigin = { kind: "client", why: "packages" };

function listOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
