import type { LogLine } from "./observation.ts";
import { programLines } from "./program-lines.ts";
import { withoutStagedDirectories } from "./staged-path.ts";

/** Java or Python exception that ended a program, with its causes, from the log. */
export interface Failure {
  /** All lines of the exception. */
  readonly lines: readonly LogLine[];
  /** Line that names the exception. */
  readonly head: LogLine;
  /** E.g. `java.lang.IllegalStateException`, `KeyError`. */
  readonly className: string;
  readonly message: string;
  /** First location in code of the application, e.g. `com.example.Report.main(Report.java:14)`, `report.py, line 2`. */
  readonly location: string | undefined;
  /** Innermost exception, if there is another one. */
  readonly root: string | undefined;
}

/**
 * Finds the exception that ended a driver or an executor.
 *
 * Returns the first exception that stopped the SparkContext or main: later ones are often consequences.
 */
export function findFailure(log: readonly LogLine[]): Failure | undefined {
  const known = found.get(log);
  if (known !== undefined) return known.failure;
  const failure = searchFailure(programLines(log));
  found.set(log, { failure });
  return failure;
}

/** Results by log, because many rules search the same log. */
const found = new WeakMap<readonly LogLine[], { readonly failure: Failure | undefined }>();

function searchFailure(log: readonly LogLine[]): Failure | undefined {
  const failure = outerFailure(log);
  return failure && { ...failure, ...innerPythonFailure(failure) };
}

function outerFailure(log: readonly LogLine[]): Failure | undefined {
  const start = log.findIndex(({ text }) => fatalLine.test(text));
  const python = pythonFailure(log);
  if (start === -1) return python;
  const own = isAnnouncement(log[start]) ? start + 1 : start;
  const java = javaFailure(blockFrom(log, own));
  // A Python application shows its own error, which contains the Java exception behind it.
  return python ?? java;
}

const fatalLine =
  /^Exception in thread "main" |\bERROR SparkContext: Error initializing SparkContext\b|\bERROR SparkContext:? .*Error initializing SparkContext|^Error: Failed to load /;

function isAnnouncement(line: LogLine | undefined): boolean {
  return /Error initializing SparkContext/.test(line?.text ?? "");
}

/** Start of a log record: a time in Spark's layouts, or JSON. */
const newRecord = /^(\d{2}\/\d{2}\/\d{2} |\d{4}-\d{2}-\d{2}[T ]|\{"ts"|\[?(ERROR|WARN|INFO|DEBUG)\b)/;

function blockFrom(log: readonly LogLine[], start: number): readonly LogLine[] {
  const end = log.findIndex(
    ({ text }, index) => index > start && (newRecord.test(text) || text.startsWith('Exception in thread "')),
  );
  return log.slice(start, end === -1 ? undefined : end);
}

const javaHead = /^(?:Exception in thread "[^"]*" )?(?:Caused by: )?((?:[a-zA-Z_$][\w$]*\.)+[A-Z$][\w$]*)(?:: (.*))?$/;

function javaHeads(lines: readonly LogLine[]) {
  return lines.flatMap((line) => {
    const match = javaHead.exec(line.text);
    return match === null ? [] : [{ line, className: match[1] ?? "", message: (match[2] ?? "").trim() }];
  });
}

function javaFailure(lines: readonly LogLine[]): Failure | undefined {
  const heads = javaHeads(lines);
  const first = heads.find(({ className, message }) => !isWrapper(className, message)) ?? heads[0];
  if (first === undefined) return undefined;
  const last = heads.at(-1);
  const root = last === undefined || last === first ? undefined : printHead(last);
  const { line, className, message } = first;
  return { lines, head: line, className, message, location: ownFrame(lines), root };
}

function printHead({ className, message }: { readonly className: string; readonly message: string }): string {
  return message === "" ? className : `${className}: ${message}`;
}

/** Whether an exception only wraps another one. */
function isWrapper(className: string, message: string): boolean {
  return (
    /\.(InvocationTargetException|UndeclaredThrowableException|ExecutionException|CompletionException)$/.test(
      className,
    ) || /^(Exception thrown in awaitResult|External scheduler cannot be instantiated)/.test(message)
  );
}

const foreignFrame =
  /^(java|javax|jdk|sun|com\.sun|scala|kotlin|py4j|io\.(fabric8|vertx|netty)|okhttp3|org\.apache\.(spark|hadoop))\./;

function ownFrame(lines: readonly LogLine[]): string | undefined {
  return lines
    .map(({ text }) => /^\s+at (?:[\w.@-]+\/)*([\w.$<>]+\([^)]*\))/.exec(text)?.[1])
    .find((frame) => frame !== undefined && !foreignFrame.test(frame));
}

const pythonHead = /^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration)?)(?:: (.*))?$/;

/** Finds the last traceback of a log, which ended the program. */
function pythonFailure(log: readonly LogLine[]): Failure | undefined {
  const startIndex = log.findLastIndex(({ text }) => /^Traceback \(most recent call last\):/.test(text));
  const start =
    startIndex === -1 ? log.findLastIndex(({ text }) => /^ {2}File ".+", line \d+$/.test(text)) : startIndex;
  const found = pythonException(log, start);
  if (found === undefined) return undefined;
  const { end, ...own } = found;
  const behind = blockFrom(log, end).slice(1);
  const innermost = javaHeads(behind.map((line) => ({ ...line, text: line.text.replace(/^: /, "") }))).at(-1);
  const lines = [...log.slice(start, end + 1), ...behind];
  if (innermost === undefined) return { ...own, lines, root: undefined };
  // Py4J's exception says only which call failed.
  const { className, message } = innermost;
  return /\bPy4JJavaError$/.test(own.className)
    ? { ...own, lines, className, message, root: undefined }
    : { ...own, lines, root: printHead(innermost) };
}

/** Reads the exception after a traceback that starts at a line, if there is one, and the index of the line that names it. */
function pythonException(lines: readonly LogLine[], start: number) {
  const end = start === -1 ? -1 : lines.findIndex(({ text }, index) => index > start && /^\S/.test(text));
  const head = lines[end];
  const match = pythonHead.exec(head?.text ?? "");
  if (head === undefined || match === null) return undefined;
  const [, className = "", message = ""] = match;
  return { end, head, className, message: message.trim(), location: pythonLocation(lines.slice(start, end)) };
}

/**
 * Finds the exception of the application's Python code in a worker of an executor, which Spark wraps.
 *
 * Source: Spark org.apache.spark.api.python.PythonException.
 */
function innerPythonFailure({ lines }: Failure): Partial<Failure> {
  const start = lines.findLastIndex(({ text }) => /PythonException: .*Traceback \(most recent call last\):/.test(text));
  const found = pythonException(lines, start);
  if (found === undefined) return {};
  const { end: _, ...inner } = found;
  return { ...inner, root: undefined };
}

function pythonLocation(lines: readonly LogLine[]): string | undefined {
  const locations = lines.flatMap(({ text }) => {
    const match = /^ {2}File "([^"]+)", line (\d+)/.exec(text);
    const [, file = "", line] = match ?? [];
    return match === null ? [] : [{ file, location: `${withoutStagedDirectories(file)}, line ${line}` }];
  });
  const own = locations.findLast(
    ({ file }) =>
      !/(site-packages|dist-packages|\/python\/lib\/|\/lib\/python|(?:pyspark|py4j[\w.-]*)\.zip\/)/.test(file),
  );
  return (own ?? locations.at(-1))?.location;
}
