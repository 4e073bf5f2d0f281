import { errorCodeEntry } from "../errors/find-entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { indentedLines } from "../host/visible-text.ts";

/** Form of errors on stderr. */
interface ErrorStyle {
  /**
   * - `errorAndHint`: lines `Error: …` and `Hint: …`
   * - `errorOnly`: lines `Error: …`
   * - `sparkException`: as Spark's JVM prints an uncaught exception, without stack frames; for strict mode
   */
  readonly form: "errorAndHint" | "errorOnly" | "sparkException";
  /** Whether the submission is for a proxy user: Spark wraps most exceptions then. @default false */
  readonly isProxied?: boolean;
}

/** Prints anything thrown. Only an internal error has a stack trace. */
export function printError(error: unknown, style: ErrorStyle): string {
  if (isSubmitError(error)) return printIssues(error.issues, style);
  if (isFileError(error)) {
    return printIssues([issue("SUBMIT_ERR_FILE_SYSTEM", { reason: error.message })], style);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Error: Internal error: ${text}\nHint: Report this bug of Firesteel with the text above.\n`;
}

/** Prints all issues, each with its hint below it. */
export function printIssues(issues: readonly Issue[], { form, isProxied = false }: ErrorStyle): string {
  switch (form) {
    case "errorAndHint":
      return lines(issues.flatMap((issue, index) => errorAndHint(issue, issues[index + 1])));
    case "errorOnly":
      return lines(issues.map(errorLine));
    case "sparkException":
      return lines(issues.flatMap((issue) => sparkException(issue, isProxied)));
  }
}

/** Prints problems of a command line as Spark's launcher does before the usage text. */
export function printUsageErrors(issues: readonly Issue[]): string {
  return lines([...issues.map(errorLine), ""]);
}

/** Prints a problem that stops Spark's launcher when it starts again to print the usage text. */
export function printLauncherException({ message }: Issue): string {
  return lines([`Exception in thread "main" java.lang.IllegalArgumentException: ${message}`]);
}

/** Prints the rejection of a script passed to a shell as Spark's launcher does; `undefined` for another problem. */
export function printShellScriptError([first]: readonly Issue[]): string | undefined {
  const isScript = first?.code === "SUBMIT_ERR_PYSPARK_FILE" || first?.code === "SUBMIT_ERR_SPARKR_FILE";
  return isScript ? lines([first.message]) : undefined;
}

/** Errors of system calls that the user can fix: permissions, space, limits, read-only file systems, wrong file types. */
const fileErrorCodes = new Set([
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

function isFileError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && "syscall" in error && fileErrorCodes.has(String(error.code));
}

function errorLine({ message }: Issue): string {
  return `Error: ${indentedLines(message)}`;
}

/** Consecutive issues with the same hint show it once, below the last of them. */
function errorAndHint(issue: Issue, next: Issue | undefined): readonly string[] {
  const { hint } = issue;
  return hint === undefined || hint === next?.hint
    ? [errorLine(issue)]
    : [errorLine(issue), `Hint: ${indentedLines(hint)}`];
}

function sparkException(issue: Issue, isProxied: boolean): readonly string[] {
  const { code, message, causes = [] } = issue;
  const causeLines = causes.map((cause) => `Caused by: ${indentedLines(cause)}`);
  // Spark's class loader prints this one without an exception.
  if (code === "SUBMIT_ERR_CLASS_NOT_LOADED") return [errorLine(issue), ...causeLines];
  const { javaClass = sparkExceptionClass, kind } = errorCodeEntry(code);
  // Messages about arguments and settings have line ends of Spark; those of servers could imitate lines of Spark.
  const text = kind === "usage" || kind === "setting" ? message : indentedLines(message);
  // Hadoop's doAs wraps checked exceptions only, and SparkException is one.
  const wrapper =
    isProxied && javaClass === sparkExceptionClass
      ? 'Exception in thread "main" java.lang.reflect.UndeclaredThrowableException\nCaused by: '
      : 'Exception in thread "main" ';
  return [`${wrapper}${javaClass}: ${text}`, ...causeLines];
}

const sparkExceptionClass = "org.apache.spark.SparkException";

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
