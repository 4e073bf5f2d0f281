import { errorCodeEntry } from "../errors/find-entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isSubmitError } from "../errors/submit-error.ts";

/** In whose words errors are shown. */
export interface ErrorStyle {
  /** `spark`: as an exception of Apache's client, which tools look for; `plain`: as a sentence. */
  readonly form: "spark" | "plain";
  /** Exactly as Spark prints them, without hints. */
  readonly strict: boolean;
  /** The submission is made for a proxy user; Spark wraps exceptions then. */
  readonly isProxied?: boolean;
}

const sparkException = "org.apache.spark.SparkException";

/** What is shown of something that was thrown; a stack only where the fault is ours. */
export function printError(error: unknown, style: ErrorStyle): string {
  if (isSubmitError(error)) return printIssues(error.issues, style);
  if (isFileFailure(error)) {
    return printIssues([issue("SUBMIT_ERR_FILE_SYSTEM", { reason: error.message })], style);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Internal error: ${text}\nThis is a fault of Firesteel; please report it with the text above.\n`;
}

/** All issues, then what to do about them. */
export function printIssues(issues: readonly Issue[], style: ErrorStyle): string {
  return lines([...issues.flatMap((issue) => issueLines(issue, style)), ...hintLines(issues, style)]);
}

/** Problems of a command line, exactly as Spark's launcher prints them: before the usage text. */
export function printUsageProblems(issues: readonly Issue[]): string {
  return lines([...issues.map(({ message }) => `Error: ${message}`), ""]);
}

/** A problem that stops Spark's launcher when it lets the usage be told, as it shows that. */
export function printLauncherException({ message }: Issue): string {
  return lines([`Exception in thread "main" java.lang.IllegalArgumentException: ${message}`]);
}

/** A script that was given to a shell, exactly as Spark's launcher prints it: alone. `undefined` where that is not the problem. */
export function printShellScript([first]: readonly Issue[]): string | undefined {
  const isScript = first?.code === "SUBMIT_ERR_PYSPARK_FILE" || first?.code === "SUBMIT_ERR_SPARKR_FILE";
  return isScript ? lines([first.message]) : undefined;
}

/** What the machine refuses: rights, room, limits, read-only file systems, files where folders are wanted. */
const refusals = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOTDIR",
  "EISDIR",
  "EEXIST",
]);

function isFileFailure(error: unknown): error is Error {
  return error instanceof Error && "code" in error && "syscall" in error && refusals.has(String(error.code));
}

function issueLines(found: Issue, style: ErrorStyle): readonly string[] {
  const causes = style.strict ? (found.causes ?? []) : [];
  return [...exceptionLines(found, style), ...causes.map((cause) => `Caused by: ${cause}`)];
}

function exceptionLines(
  { code, message }: Issue,
  { form, strict, isProxied = false }: ErrorStyle,
): readonly string[] {
  // Spark's own loader tells this one, without an exception.
  if (form === "plain" || code === "SUBMIT_ERR_CLASS_NOT_LOADED") return [`Error: ${message}`];
  const { javaClass = sparkException } = errorCodeEntry(code);
  // Only what is no RuntimeException is wrapped by Hadoop's doAs.
  return strict && isProxied && javaClass === sparkException
    ? [
        'Exception in thread "main" java.lang.reflect.UndeclaredThrowableException',
        `Caused by: ${javaClass}: ${message}`,
      ]
    : [`Exception in thread "main" ${javaClass}: ${message}`];
}

function hintLines(issues: readonly Issue[], { strict }: Pick<ErrorStyle, "strict">): readonly string[] {
  if (strict) return [];
  return [...new Set(issues.flatMap(({ hint }) => (hint === undefined ? [] : [`Hint: ${hint}`])))];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
