import { visibleLine } from "./visible-text.ts";

/** Replaces characters that `visibleLine` replaces in each of many lines. */
export function visibleLines(lines: readonly string[]): readonly string[] {
  // Many lines are worth a regular expression.
  return /[^ -~]/.test(lines.join("")) ? lines.map(visibleLine) : lines;
}
