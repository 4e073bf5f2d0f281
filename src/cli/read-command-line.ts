import { dependsOnLine } from "../command-line/options.ts";
import { type ParsedCommandLine, parseInvalidCommandLine } from "../command-line/parse.ts";
import { behaviorsOf } from "../conf/behaviors.ts";
import { newestLine } from "../conf/spark-version.ts";
import { throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { targetSparkVersion } from "./environment.ts";

/**
 * Parses the command line. The grammar depends on the Spark line, which the command line can specify: then it is parsed twice.
 *
 * @returns for a submission, its problems as well: they are reported with those of its settings and files
 * @throws SubmitError with all problems of another command line, or as Spark, of any
 */
export async function readCommandLine(host: Host): Promise<ParsedCommandLine> {
  const behaviors = behaviorsOf(host.env);
  const parsed = await parseForLine(host, behaviors);
  if (hasNothingToCheck(parsed) || behaviors.issueReport === "spark") throwIssues(parsed.issues);
  const { invocation } = parsed;
  if (invocation.action !== "submit" || invocation.fields.profile === undefined) return parsed;
  const { withProfile } = await import("./profiles/with-profile.ts");
  return { ...parsed, invocation: await withProfile(host, invocation, invocation.fields.profile) };
}

/** Returns whether no later stage can find a problem. Then a mistyped option is reported without loading their code. */
function hasNothingToCheck({ invocation, issues }: ParsedCommandLine): boolean {
  const hasNoApplication = issues.some(({ code }) => code === "SUBMIT_ERR_PRIMARY_RESOURCE_MISSING");
  const hasNoSettings =
    invocation.settings.length === 0 && Object.keys(invocation.fields).every((name) => name === "mainClass");
  return invocation.action !== "submit" || (hasNoApplication && hasNoSettings);
}

async function parseForLine(
  host: Host,
  { exampleOptions }: Parameters<typeof parseInvalidCommandLine>[2] & object,
): Promise<ParsedCommandLine> {
  const newest = parseInvalidCommandLine(host.argv, newestLine, { exampleOptions });
  if (!dependsOnLine(host.argv)) return newest;
  const { line } = await targetSparkVersion(host, newest.invocation);
  return line === newestLine ? newest : parseInvalidCommandLine(host.argv, line, { exampleOptions });
}
