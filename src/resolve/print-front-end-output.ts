import { errorCodeEntry } from "../errors/find-entry.ts";
import type { ResolvedSettings } from "./resolve-settings.ts";
import { printFiles, printParsedArguments } from "./verbose.ts";
import { warnDeprecatedKeys } from "./warn-deprecated-keys.ts";

/** Writes to stderr what Spark's front end writes before it prepares an application. */
export function printFrontEndOutput(settings: Omit<ResolvedSettings, "master" | "rejection">): void {
  const { host, log, invocation, read, version, behaviors, issues, hasNoIssues, masterLog } = settings;
  // Spark's front end does not start if its launcher rejects the command line.
  if (behaviors.issueReport === "spark" && issues.some(({ code }) => errorCodeEntry(code).kind === "usage")) return;
  const { stderr } = host;
  if (invocation.verbose) stderr.write(printFiles(settings));
  for (const key of read.ignored) stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  warnDeprecatedKeys(read, version.line, log);
  if (invocation.verbose && hasNoIssues) stderr.write(printParsedArguments(settings));
  for (const { level, logger, text } of masterLog) {
    // Spark's front end logs nothing below a warning.
    if (level !== "INFO") log(level, logger, text);
  }
}
