import type { LogLine } from "./observation.ts";

/** Record of Spark's logging: a time in one of its layouts, or JSON. */
const logRecord =
  /^(?:\d{2}\/\d{2}\/\d{2} |\d{4}-\d{2}-\d{2}[T ])[\d:.,+Z-]+ (?:\[[^\]]*\] )?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b|^\{"ts"|^\[?(?:ERROR|WARN|INFO|DEBUG)\] /;

/** Lines that follow a record or the head of an exception: frames, causes, and what Python indents. */
const continuation = /^\s|^Caused by: |^Suppressed: |^: |^\)|^$/;

const exceptionHead =
  /^(?:Exception in thread "[^"]*" )?(?:Caused by: )?(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable)\b/;
/** First line of a traceback, or of a syntax error. */
const pythonStart = /^Traceback \(most recent call last\):|^ {2}File ".+", line \d+$/;
const frame = /^\s+at [\w.$@/<>-]+\(/;

/** Messages of Spark's launcher, of Python's interpreter, of shells and of Ivy, which are not log records. */
const ownMessage =
  /^(?:Error: (?:Failed to load|Could not|Main method|A JNI|Unable to|Missing)|Failed to load |Error occurred during initialization of VM|\S*python[\d.]*: |env: |\S+: (?:line )?\d+: |exec |\[\w+ +tini|#|The (?:executor with id|API gave) |Terminating due to |Aborting due to |\s*::)/;

/**
 * Returns the lines of a log that Spark, the JVM or Python wrote, without the output of the application, which may quote anything.
 *
 * Before the first record of Spark's logging, no application runs: all lines count. After it, those of records, of exceptions with
 * their frames, and known messages do.
 */
export function programLines(log: readonly LogLine[]): readonly LogLine[] {
  const known = found.get(log);
  if (known !== undefined) return known;
  const lines = selectLines(log);
  found.set(log, lines);
  return lines;
}

/** Results by log, because many rules search the same log. */
const found = new WeakMap<readonly LogLine[], readonly LogLine[]>();

function selectLines(log: readonly LogLine[]): readonly LogLine[] {
  const first = log.findIndex(({ text }) => logRecord.test(text));
  const state = { isInside: false, isTraceback: false };
  return log.filter(({ text }, index) => {
    if (index < first || first === -1) return true;
    return isOfProgram(text, () => hasFrames(log, index), state);
  });
}

/** Lines of an exception's message that may be above its frames. */
const maxMessageLines = 20;

/** Whether frames of a stack follow a line, before another record. */
function hasFrames(log: readonly LogLine[], index: number): boolean {
  const following = log.slice(index + 1, index + 1 + maxMessageLines).map(({ text }) => text);
  const end = following.findIndex((text) => logRecord.test(text));
  return following.slice(0, end === -1 ? undefined : end).some((text) => frame.test(text));
}

/** Whether a line is not output of the application. Keeps in `state` whether the next line may continue it. */
function isOfProgram(
  text: string,
  hasOwnFrames: () => boolean,
  state: { isInside: boolean; isTraceback: boolean },
): boolean {
  const isTracebackEnd = state.isTraceback && !/^\s/.test(text);
  if (pythonStart.test(text)) {
    state.isTraceback = true;
  } else if (isTracebackEnd) {
    state.isTraceback = false;
    state.isInside = true;
    return true;
  }
  if (state.isTraceback) return true;
  const isStart =
    logRecord.test(text) || ownMessage.test(text) || (exceptionHead.test(text) && (state.isInside || hasOwnFrames()));
  state.isInside = isStart || (state.isInside && continuation.test(text));
  return state.isInside;
}
