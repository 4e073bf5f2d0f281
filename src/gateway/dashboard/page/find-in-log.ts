/** A line of a log with its number, from 0 on. */
export interface LogLine {
  readonly number: number;
  readonly text: string;
}

/** A piece of a line. */
export interface LinePiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Selects the lines that contain a text, without regard to case. */
export function matchingLines(lines: readonly LogLine[], text: string): readonly LogLine[] {
  const lowerText = text.toLowerCase();
  return lowerText === "" ? lines : lines.filter((line) => line.text.toLowerCase().includes(lowerText));
}

/** Splits a line at the matches of a text. */
export function splitAtMatches(line: string, text: string): readonly LinePiece[] {
  if (text === "") return [{ text: line, isMatch: false }];
  const [lower, lowerText] = [line.toLowerCase(), text.toLowerCase()];
  // Some letters change their length in lower case, which moves the matches.
  if (lower.length !== line.length) return [{ text: line, isMatch: false }];
  const pieces: LinePiece[] = [];
  let position = 0;
  for (let found = lower.indexOf(lowerText); found >= 0; found = lower.indexOf(lowerText, position)) {
    if (found > position) pieces.push({ text: line.slice(position, found), isMatch: false });
    position = found + text.length;
    pieces.push({ text: line.slice(found, position), isMatch: true });
  }
  if (position < line.length) pieces.push({ text: line.slice(position), isMatch: false });
  return pieces;
}

/** Returns the level of a line in Spark's log format, for its color. */
export function levelOf(line: string): "error" | "warn" | undefined {
  const [, level] = /^\S+ \S+ (ERROR|FATAL|WARN)\b/.exec(line) ?? [];
  if (level === "WARN") return "warn";
  return level !== undefined || /^(Exception\b|Caused by:|Traceback\b)/.test(line) ? "error" : undefined;
}
