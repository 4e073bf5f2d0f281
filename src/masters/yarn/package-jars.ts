import { jarsIvy } from "../../conf/entries/app.ts";
import type { SettingOrigin } from "../../conf/setting.ts";
import { issuesOf } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import { showProgress } from "../../host/progress.ts";
import { parseCoordinates, parseExclusions } from "../../packages/parse-coordinates.ts";
import { providePackages } from "../../packages/provide-packages.ts";
import { languageOf } from "../../plan/app-resource.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { printFileUri } from "../../values/uri.ts";

/**
 * Adds the jars of a submission's packages to its jars and, for Python, to its Python files: drivers on YARN do not resolve
 * packages themselves.
 *
 * Source: Spark SparkSubmit.prepareSubmitEnvironment.
 *
 * @throws SUBMIT_ERR_PACKAGE_…
 */
export async function withPackageJars(submission: ResolvedSubmission): Promise<ResolvedSubmission> {
  const { host, fields, invocation, read, version } = submission;
  const textOf = (name: FieldName) => fields.get(name)?.value ?? "";
  const coordinates = parseCoordinates(textOf("packages"));
  const exclusions = parseExclusions(textOf("packagesExclusions"));
  throwIssues([...issuesOf(coordinates), ...issuesOf(exclusions)]);
  const ivy = read.settings.get(jarsIvy.key)?.value.trim() || defaultIvyDirectory(host.user.home, version.line);
  const ivyDirectory = ivy.startsWith("/") ? ivy : `${host.cwd}/${ivy}`;
  const jars = await providePackages(
    host,
    { coordinates: orThrow(coordinates), exclusions: orThrow(exclusions) },
    {
      options: {
        ...{ urls: listOf(textOf("repositories")), ivyDirectory, isOffline: false },
        ...{ into: `${ivyDirectory}/jars`, lock: undefined },
      },
      progress: showProgress(host),
    },
  );
  const uris = jars.flatMap(({ localPath }) => (localPath === undefined ? [] : [printFileUri(localPath)]));
  const origin: SettingOrigin = { kind: "client", why: "packages" };
  const joined = (name: FieldName) => ({ value: [...listOf(textOf(name)), ...uris].join(","), origin });
  const more = new Map(fields).set("jars", joined("jars"));
  if (languageOf(invocation.resource) === "python") more.set("pyFiles", joined("pyFiles"));
  return { ...submission, fields: more };
}

/** Returns Ivy's default directory, which is Spark's own since 4.0. */
function defaultIvyDirectory(home: string, line: string): string {
  return `${home}/${line === "3.5" ? ".ivy2" : ".ivy2.5.2"}`;
}

function listOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
